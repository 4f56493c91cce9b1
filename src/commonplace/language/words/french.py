"""The words of French, as far as simple statements have them."""

import re

from commonplace.language.words.lexicon import Language, Slot, phrases, words

_DAYS = "(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_MONTHS = "(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
_NUMBERS = "deux trois quatre cinq six sept huit neuf dix onze douze".split()


def _slot(
    name: str, state: str, change: str = "", *, is_single: bool = True, found_by: str = ""
) -> Slot:
    return Slot(name, is_single, phrases(state), phrases(change), found_by.split())


FRENCH = Language(
    name="fr",
    verb_first=False,
    head_first=True,
    capital_nouns=False,
    has_participles=True,
    stops=words(
        "le la les l' un une des du de d' à au aux en dans sur est sont était suis sommes a ai "
        "ont avons et ou que "
        "qui se s' me ne c' il elle ils elles très ce cette"
    ),
    articles=words("un une"),
    definite=words("le la"),
    prepositions=words("de du des à au aux en dans sur pour avec chez sous"),
    self_words=words("je j' moi mon ma mes"),
    group_words=words("nous notre nos"),
    pronouns=words("il elle ils elles ce cela ça son sa ses"),
    single=words(
        "nom prénom âge anniversaire adresse courriel téléphone numéro ville pays entreprise "
        "métier salaire taille "
        "poids couleur port version base date échéance statut fuseau langue éditeur budget "
        "prix limite chef loyer"
    ),
    preferred=phrases("préférée?|principale?|actuelle?"),
    copulas=phrases("est|sont|était|suis|sera|="),
    verbs=phrases(
        "a|ai|ont|avons|boit|bois|mange|aime|aiment|veut|joue|parle|prend|va|commence|finit"
        "|ouvre|ferme|part|dure"
        "|fume|tourne|coûte|prend_en_charge|se_réunit"
    ),
    roles=phrases(""),
    auxiliaries=phrases("a|ai|ont|avons"),
    endings=re.compile(r"(?<=[^\W\d]{3})(?:es|e|s)$"),
    events=phrases(
        "visité|rencontré|payé|acheté|vu|corrigé|trouvé|envoyé|écrit|appelé|terminé|fêté|réparé"
    ),
    many=phrases("aime|aiment|joue|lit|connaît|parle|veut|boit|mange|va"),
    slots=(
        _slot("lives", "habit(?:e|ent|ons)|vi(?:s|t)_(?:à|en)", "déménagé", found_by="habite"),
        _slot(
            "works",
            "travaill(?:e|ent|ons)_(?:chez|pour)",
            "rejoint|embauchée?",
            found_by="travaille",
        ),
        _slot("called", "s'appelle|m'appelle", "renommée?"),
        _slot("born", "née?_(?:à|en)"),
        _slot("price", "coûtent?"),
        _slot("owner", "dirige|gère|responsable_d[eu]|s'occupe_d[eu]", "repris"),
        _slot(
            "uses",
            "utilis(?:e|ons|ent)|tourne_sur",
            "(?:passée?s?|migré)_(?:à|sur)",
            is_single=False,
        ),
        _slot("prefers", "préfèr(?:e|ent)|préférons", is_single=False),
        _slot(
            "changes",
            "",
            "(?:changée?|déplacée?|reportée?|augmentée?|réduite?|repoussée?)_(?:à|au)",
        ),
    ),
    fillers=phrases(
        "(?:rappelle-toi|note|souviens-toi)_que|s'il_te_plaît|au_fait|toujours|encore|actuellement|bonjour"
    ),
    changes=phrases(
        f"maintenant|désormais|dorénavant|à_partir_d[eu']_?(?:{_DAYS}|{_MONTHS}|maintenant"
        f"|demain)|dès_(?:{_DAYS}"
        f"|{_MONTHS}|aujourd'hui)|à_la_place|depuis_(?:{_DAYS}|{_MONTHS}|hier)"
    ),
    corrections=phrases(
        "en_fait|en_réalité|correction|oublie_ça|je_me_suis_trompée?|je_voulais_dire(?:_que)?|non,_attends|pardon"
    ),
    additions=phrases("aussi|également|en_plus|une?_autre|de_plus|deuxième"),
    hints=phrases("nouveau|nouvelle|depuis|maintenant"),
    conditions=phrases(""),
    exceptions=phrases(
        "si|peut-être|pourrait|voudrait|veut_\\w+(?:er|ir|re)|prévoit|envisage|pense_à"
        "|cette_semaine"
        "|aujourd'hui_seulement|exceptionnellement|demain|je_plaisante|blague|mdr|presque"
    ),
    past=phrases("autrefois|avant|auparavant|jadis|il_y_a_\\w+_ans|enfant|à_l'époque"),
    denials=phrases("pas|jamais|aucune?|sans|ni|évite|déteste"),
    aversions=phrases("déteste|évite"),
    ended=phrases("ne_(?=\\w+_plus)|n'\\w+_plus|plus(?=_(?:à|de|en|du|chez|sur)\\b)|arrêté_d[e']"),
    over_after=phrases(
        "au_lieu_d[eu']|à_la_place_d[eu']|remplacé|(?:passée?s?|migré)_d[eu']|quitté|abandonné|vendu|annulé|arrêté"
    ),
    over_before=phrases(
        "(?:est|sont)_(?:obsolètes?|remplacée?s?|annulée?s?|supprimée?s?|fermée?s?_définitivement)"
    ),
    until=phrases("à|par|pour|parce|et|mais|vers"),
    replaced_by=phrases("remplacé"),
    purposes=phrases("pour|quand|pendant|lorsque"),
    periods=phrases(
        "le_(?:matin|soir|week-end)|l'après-midi|(?:en_)?(?:été|hiver|automne)|20\\d\\d|19\\d\\d"
    ),
    values={
        "rhythm": phrases(
            "quotidien(?:nement)?|hebdomadaire(?:ment)?|mensuel(?:lement)?|chaque_(?:jour|semaine|mois|année)"
        ),
        "date": phrases(f"\\d{{1,2}}_{_MONTHS}|\\d{{4}}-\\d{{2}}-\\d{{2}}"),
        "day": phrases(f"{_DAYS}s?"),
        "time": phrases("\\d{1,2}_?h(?:_?\\d{2})?|\\d{1,2}:\\d{2}|à_\\w{3,6}_heures|midi|minuit"),
        "money": phrases("[$€£]\\d[\\d.,]*|\\d[\\d.,]*_?(?:euros?|€|francs?)"),
        "open": phrases("ouverte?|fermée?"),
        "on": phrases("activée?|désactivée?"),
        "family": phrases("mariée?|célibataire|divorcée?"),
    },
    numbers={word: str(at) for at, word in enumerate(_NUMBERS, start=2)},
)
