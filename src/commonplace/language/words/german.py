"""The words of German."""

import re

from commonplace.language.words.lexicon import Language, Slot, phrases, words

_DAYS = "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_MONTHS = (
    "(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|jan"
    "|feb|apr|jun|jul"
    "|aug|sept|sep|okt|nov|dez)"
)
_NUMBERS = "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_HOURS = "|".join(_NUMBERS)


def _slot(
    name: str, state: str, change: str = "", *, is_single: bool = True, found_by: str = ""
) -> Slot:
    return Slot(name, is_single, phrases(state), phrases(change), found_by.split())


GERMAN = Language(
    name="de",
    verb_first=True,
    head_first=False,
    capital_nouns=True,
    has_participles=True,
    stops=words(
        "der die das den dem des ein eine einen einem einer eines ist sind bin war waren wird "
        "werden wurde wurden "
        "hat habe haben hatte und oder zu zum zur von vom mit im in am an auf um bei beim nach "
        "für es sich dass er "
        "sie so dann sehr da ja worden sein"
    ),
    articles=words("ein eine einen"),
    definite=words("der die das"),
    prepositions=words(
        "in im am an auf um bei beim nach zu zum zur von vom für mit unter über aus"
    ),
    self_words=words("ich mir mich mein meine meinen meiner meinem meines"),
    group_words=words("wir uns unser unsere unseren unserer unserem"),
    pronouns=words("er sie es das dies sein seine ihr ihre"),
    single=words(
        "name vorname nachname alter geburtstag adresse e-mail-adresse email telefonnummer "
        "nummer stadt land firma "
        "arbeitgeber beruf gehalt größe gewicht farbe lieblingsfarbe port version datenbank "
        "hauptdatenbank frist "
        "abgabe termin status zeitzone sprache editor passwort budget preis limit obergrenze "
        "chef partner tarif "
        "währung hauptstadt ort anbieter miete rechnungsnummer passworthinweis lieblingsessen"
    ),
    preferred=phrases("lieblings\\w{1,20}|bevorzugte\\w?|aktuelle\\w?|primäre\\w?"),
    copulas=phrases("ist|sind|bin|war|waren|wird|werden|wurde|wurden|beträgt|betrug|bleibt|="),
    verbs=phrases(
        "hat|habe|haben|hatte|trinkt|trinke|isst|esse|mag|mögen|liebt|liebe|hasst|will|möchte"
        "|braucht|spielt|spiele"
        "|spricht|unterstützt|nimmt|nimm|geht|gehe|läuft|laufen|tagt|tagen|trifft|treffen"
        "|öffnet|schließt|fährt"
        "|fahre|beginnt|endet|dauert|raucht|liest|schreibt|lernt|deployen|deployt|kauft|steht"
        "|liegt|sitzt|kostet"
        "|könnte|sollte|würde|kommt|hält|trägt|kocht|zahlt|committen|aufrufen|formatiere"
        "|endete|aß|erwägt|verwende"
    ),
    roles=phrases(""),
    auxiliaries=phrases("hat|habe|haben|hatte"),
    endings=re.compile(r"(?<=\w{3})(?:en|er|es|em|e|t|n)$"),
    events=phrases(
        "besucht|getroffen|bezahlt|gekauft|gesehen|behoben|gefunden|geschickt|geschrieben"
        "|gelesen|gegessen"
        "|angerufen|beendet|endete|begann|gefeiert|bestellt|repariert|gestrichen|gewählt"
        "|veröffentlicht|bekommen"
        "|gewonnen|verloren|gebaut|gebucht|geflogen|gefragt|gesagt|besuchte|kaufte|traf|bezahlte"
    ),
    many=phrases(
        "mag|mögen|liebt|liebe|hasst|spielt|spiele|liest|kennt|spricht|will|schreibt|trinkt|isst|geht|trifft"
    ),
    slots=(
        _slot(
            "lives",
            "(?:wohn|leb)(?:e|t|en|ten?|te)|sitzt_in",
            "(?:um|hin|weg)?gezogen|zog_nach|zogen_nach|umgesiedelt",
            found_by="wohne wohnt lebt gezogen",
        ),
        _slot(
            "works",
            "arbeite(?:t|n|te)?",
            "angefangen|gewechselt|angeheuert",
            found_by="arbeite arbeitet",
        ),
        _slot("role", "arbeitet_als", "befördert|wurde_(?=\\w+$)"),
        _slot(
            "age",
            "(?:ist|bin|sind)_\\d+_jahre_alt|(?:ist|bin)_\\d+(?=$|\\.)",
            "\\d+_geworden",
            found_by="jahre",
        ),
        _slot("called", "heißt|heiße|heißen", "umbenannt|umgetauft"),
        _slot("born", "geboren"),
        _slot("married", "verheiratet_mit|verlobt_mit"),
        _slot("port", "(?:lauscht|läuft|hört)_auf_port"),
        _slot("price", "kostet|kosten_(?=\\d)"),
        _slot(
            "owner",
            "betreut|leitet|verantwortet|verantwortlich|zuständig|kümmert_sich_um|verwaltet",
            "übernommen|übernimmt",
        ),
        _slot("approver", "genehmigt|freigegeben"),
        _slot(
            "uses",
            "(?:nutz|benutz|verwend|setz)(?:e|t|en|et)|läuft_(?:auf|mit)|liegt_bei|gehostet",
            "umgestiegen|umgestellt|gewechselt_zu|migriert",
            is_single=False,
            found_by="nutze nutzt nutzen verwendet",
        ),
        _slot("written", "in(?=_\\w+_geschrieben)"),
        _slot("drives", "fährt_eine?n?|fahre_eine?n?", is_single=False),
        _slot("prefers", "bevorzug(?:e|t|en)|mag_lieber|lieber", is_single=False),
        _slot(
            "changes",
            "",
            "geändert|verschoben|erhöht|gesenkt|angehoben|verlegt|verlängert|verkürzt|aktualisiert|gesetzt",
        ),
    ),
    fillers=phrases(
        "(?:bitte_)?(?:merk_dir|denk_daran|beachte)(?:,)?(?:_dass)?|bitte|übrigens|hallo"
        "|noch_immer|immer_noch"
        "|weiterhin|derzeit|wirklich|eben|gerade|bereits|schon|heute|neulich|immer|meistens|also"
    ),
    changes=phrases(
        f"jetzt|nun|(?<=mein_)neuer|(?<=meine_)neue|(?<=unser_)neue[rs]|(?<=unsere_)neue"
        f"|(?<=der_)neue|(?<=die_)neue|(?<=das_)neue|ab_(?:sofort|jetzt|heute|morgen|{_DAYS}"
        f"|{_MONTHS}|dem_\\d+\\.?(?:_{_MONTHS})?)|künftig|fortan"
        f"|von_nun_an|stattdessen|inzwischen|mittlerweile|neuerdings|seit_(?:heute|gestern"
        f"|kurzem|neuestem|{_DAYS}"
        f"|{_MONTHS})|doch_nicht|endgültig|aktuell"
    ),
    corrections=phrases(
        "tatsächlich|eigentlich|korrektur|vergiss_(?:das|es)|streich_das"
        "|ich_(?:habe_mich_geirrt|lag_falsch)"
        "|(?:entschuldigung,?_)?ich_meinte|nein,?_warte|das_war_falsch|mein_fehler"
        "|stimmt_nicht|entschuldigung"
        "|richtig_ist|vielmehr"
    ),
    additions=phrases(
        "auch|ebenfalls|zusätzlich|außerdem|noch_eine?n?|dazu|daneben|ein_weiterer"
        "|eine_weitere|einen_weiteren"
        "|zweiten?|zweiter|dritte[rn]?|sowohl|ebenso"
    ),
    hints=phrases("neue[rsnm]?|umgezogen|seit|nicht_mehr|stattdessen|jetzt"),
    conditions=phrases(""),
    exceptions=phrases(
        "wenn|falls|vielleicht|könnte\\w?|möglicherweise|eventuell|angenommen|will|wollen"
        "|möchte\\w?"
        "|plant|planen|plane|vorhat|hofft|hoffe|überleg(?:e|t|en)|erwäg(?:e|t|en)"
        "|denkt_darüber_nach|träumt"
        "|(?:nur_)?diese_woche|diesen_monat|dieses_mal|diesmal|nur_heute|ausnahmsweise"
        "|vorübergehend"
        "|(?<!ab_)(?<!jeden_)(?<!am_)morgen|nächste_woche|nur_spaß|spaß|scherz|(?:ha)+ha|lol"
        "|fast|beinahe|sollen_wir|irgendwann"
    ),
    past=phrases(
        "früher|damals|ehemals|vormals|einst|als_(?:kind|student|jugendliche[r]?)"
        "|in_der_vergangenheit"
        "|vor_\\d+_jahren|ursprünglich|zuvor|davor|anfangs"
    ),
    denials=phrases(
        "nicht|nie|niemals|kein|keine|keinen|keiner|keinem|ohne|weder|vermeidet|hasst|verboten"
    ),
    aversions=phrases("hasst|hasse|vermeidet|verabscheut"),
    ended=phrases(
        "nicht_mehr|nicht_länger|mehr(?=$|\\.)|hat_aufgehört,?(?:_zu)?|aufgehört,?(?:_zu)?"
    ),
    over_after=phrases(
        "nicht(?=_[^.;]{1,60},_sondern)|statt|anstatt|anstelle(?:_von)?|nicht_länger"
        "|von(?=_\\w+(?:-\\w+)?_(?:auf|zu|nach)\\b)|weg_von|sind_von|ist_von"
    ),
    over_before=phrases(
        "(?:ist|sind|wurde|wurden)_(?:jetzt_)?(?:veraltet|abgeschafft|abgelöst|ersetzt"
        "|eingestellt|abgesagt"
        "|entfernt|abgeschaltet|tot|gestorben|vorbei)|verlassen|verkauft|gekündigt|aufgegeben"
        "|abgeschafft|ersetzt"
        "|abgelöst|abbestellt|eingestellt|beendet|weggegangen|entfernt|gestorben"
    ),
    until=phrases(
        "auf|zu|nach|durch|für|weil|und|aber|umgestiegen|umgestellt|gewechselt|weggegangen|umgezogen|sondern"
    ),
    replaced_by=phrases("ersetzt|abgelöst"),
    purposes=phrases("für|wenn|beim|während"),
    periods=phrases(
        "morgens|abends|nachmittags|vormittags|nachts|werktags|am_wochenende|wochenends?"
        "|(?:im_)?(?:sommer|winter"
        "|frühling|herbst|frühjahr)|am_(?:morgen|abend|nachmittag)|jeden_morgen|20\\d\\d"
        "|19\\d\\d|q[1-4]"
    ),
    values={
        "rhythm": phrases(
            "täglich|wöchentlich|monatlich|jährlich|stündlich|vierteljährlich|zweimal_\\w{1,9}"
            "|einmal_\\w{1,9}"
            "|(?:jede[ns]?|alle)_(?:(?:zweite[nr]?|\\d+|zwei|drei|zehn|dreißig|zwanzig|fünf)_)?"
            "(?:minuten?|stunden?|tage?|wochen?|monate?|jahre?|quartale?)"
        ),
        "date": phrases(
            f"\\d{{1,2}}\\._?{_MONTHS}|\\d{{1,2}}\\.\\d{{1,2}}\\.\\d{{0,4}}|\\d{{4}}-\\d{{2}}-\\d{{2}}"
        ),
        "day": phrases(f"{_DAYS}s?"),
        "time": phrases(
            f"\\d{{1,2}}:\\d{{2}}(?:_uhr)?|\\d{{1,2}}_uhr|(?:um|ab|bis)_(?:halb_)?(?:{_HOURS}|\\d{{1,2}}(?![\\w:]))"
        ),
        "money": phrases("[$€£]\\d[\\d.,]*|\\d[\\d.,]*_?(?:euro|eur|€|franken|chf|dollar)"),
        "open": phrases("offen|geöffnet|geschlossen|zu(?=$|\\.)"),
        "on": phrases("aktiviert|deaktiviert|eingeschaltet|ausgeschaltet"),
        "family": phrases("verheiratet|ledig|geschieden|verwitwet|verlobt|getrennt"),
    },
    numbers={word: str(at) for at, word in enumerate(_NUMBERS, start=1)},
)
