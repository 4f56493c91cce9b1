"""Finds whom and what a text names: people, places, products, amounts and identifiers. Pure, by the
look of the words.

A name is a run of words written with capitals; a word that only has its capital because a sentence
begins is none, as far as a list of such words tells. What has digits is read first, so that no part
of it is taken for something else.
"""

import re
from collections.abc import Iterator

_ENTITIES_MAX = 12
_ENTITY_CHARS_MAX = 60
_READ_CHARS_MAX = 3_000  # Where a text names so much before, what comes after hardly matters.
_UNITS = (
    r"%|percent|usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|francs?|yen|km/h|km|kg|cm|mm|gb|mb|kb|tb|ms|mph|kwh|kw|mhz|ghz|"
    r"hours?|minutes?|miles?|grams?|litres?|liters?|metres?|meters?"
)
# In the order in which they are read; what one has taken no later one sees.
_EXACT = (
    re.compile(r"\bhttps?://[^\s<>\"')\]]+[\w/]"),
    re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+\b"),
    re.compile(
        rf"[$€£¥]\s?\d(?:[\d.,]*\d)?(?:\s?(?:k|m|bn?|thousand|million|billion))?\b"
        rf"|(?<![\w.,-])\d(?:[\d.,]*\d)?\s?(?:(?:thousand|million|billion)\s)?(?:{_UNITS})(?!\w)",
        re.IGNORECASE,
    ),
    # Dates are times, not things.
    re.compile(
        r"(?P<none>(?<![\w-])\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?(?![\w-])|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b|\bQ[1-4]\b)"
    ),
    re.compile(r"(?<![\w.])\d+(?:[.-]\d+){2,}(?![\w-])|(?<!\w)#\d+\b|\bv\d+(?:\.\d+)*\b"),
    # A product with its number, such as PostgreSQL 16.
    re.compile(
        r"(?<![\w-])[^\W\d_]{1,40}[ \t]\d+(?:\.\d+)*[A-Za-z]?(?:["
        r" \t](?:Pro|Max|Mini|Plus|Ultra))?(?![\w-])"
    ),
    re.compile(r"(?<![\w-])\w[\w./@-]*"),
)
_DECIMAL = re.compile(r"\d++(?:[.,/-]\d*+)?")
_INITIAL = r"[^\W\d_a-z]"
_NAME = re.compile(
    rf"(?<![\w'’])(?:St\.[ \t]+)?(?:[a-z]{{1,2}}(?=[A-Z]))?{_INITIAL}[\w'’&-]*"
    rf"(?:[ \t]+(?:{_INITIAL}\.[ \t]*){{0,2}}(?:(?:of|the|de|del|van|von|der|den|da|di|la|le|al)["
    r" \t]+)?"
    rf"{_INITIAL}[\w'’&-]*)*"
)
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-ſΑ-ΩА-Я]|[a-z]{1,2}[A-Z]")
_TITLES = frozenset("dr mr mrs ms miss prof professor sir".split())
_GENERIC = frozenset(
    "ticket invoice order room pr isbn sku id item issue bug version port page chapter section step"
    " number line row rule table figure release build sprint task phase gate flight bus unit".split()
)
_ROLES = frozenset(
    "ceo cto cfo coo vp head director president chair manager founder cofounder owner".split()
)
_PLAIN = frozenset(
    "a an the this that these those it its he she they we you i my your his her our their there"
    " here what when where who why how which if in on at by for from to of with without and or but"
    " so then also after before during since while as is are was were be been do does did has have"
    " had not no yes all any some every each both user users never always please use run see set"
    " note todo may can could would should will today yesterday tomorrow last next monday tuesday"
    " wednesday thursday friday saturday sunday january february march april june july august"
    " september october november december remember prefers prefer likes like i'm i've i'll i'd it's"
    " he's she's we're they're that's let's however maybe perhaps later earlier now once again"
    " still yet just even only most many much more few several another other such same today's"
    " first second third finally therefore thus hence because consequently result although though"
    " despite unless until whether instead otherwise meanwhile moreover besides nice great good bad"
    " old ok okay hello hi thanks thank sure well actually basically apparently currently usually"
    " often sometimes recently someone somebody everyone everybody nobody something everything"
    " nothing people things one two three assistant agent don't do avoid add make keep write check"
    " create delete update fix lives works wants needs loves hates enjoys uses has owns moved"
    " started stopped bought sold went made took got said told asked met spring summer autumn"
    " winter team meeting project server code data file user's ich du er sie es wir ihr mein meine"
    " sein wow yeah yep nope hey oh ah haha lol gonna wanna gotta absolutely definitely certainly"
    " totally exactly congrats congratulations glad sorry awesome amazing cool wonderful here's"
    " there's what's who's you're you've seine gestern heute morgen am im der die das und aber je"
    " il elle nous hier yo el ella me mi ayer hoy".split()
)
# Words that begin many a note and name nothing; in the middle of a sentence their capital counts.
_OPENING = frozenset(
    "closes fixes production deploys house kitchen bathroom context decision decisions consequences"
    " background status risk risks goal goals scope purpose overview edge writes reads backups"
    " backup keys key refunds payments revenue churn budget hiring legal sales marketing finance"
    " support sounds tastes looks seems feels serves simmer bake boil stir mix heat pour cook found"
    " workaround cause root best better worst long short big small early late high low full empty"
    " total average notes action actions items trash rubbish rent lease deadline contract invoice"
    " call calls email emails tests test errors error bugs deploy deployment releases database"
    " schema queries api apis docs logs metrics alerts backend frontend design product customers"
    " customer clients client money time water food breakfast lunch dinner coffee tea work home"
    " kids parents mum mom dad grandma grandpa wife husband rules plan plans idea ideas issues"
    " question questions answer answers problem problems solution option options price prices cost"
    " costs half either neither none less least whoever whatever dear rotate book buy send ask tell"
    " remind try go come get give take put let show open close start stop finish read drop pick"
    " choose new identify define estimate divide list consider ensure include implement develop"
    " review allocate".split()
)
_BIDDING = frozenset("ask tell send buy email remind read take give show thank".split())
_DATE = re.compile(
    r"(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\w{0,6}\.?"
    r" \d{1,2}|feb|apr|aug|sept?|oct|nov|dec)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th|s)", re.IGNORECASE)
_OWNED = re.compile(r"(?P<owner>.+?)['’]s[ \t]+(?P<owned>.+)")
_HOUSES = frozenset(
    "hospital church school college university restaurant bar inn hotel cathedral market street"
    " square park day museum palace theatre theater shop store pub cafe".split()
)
_MIDDLE = frozenset("of the de del van von der den da di la le al".split())


def find(text: str) -> tuple[str, ...]:
    """The things a text names, each once, as written."""
    text = text[:_READ_CHARS_MAX]
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, str]] = []
    for rule in _EXACT:
        for match in rule.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            name = _numbered(match[0].strip("._-/ "))
            if name is None:
                continue
            taken.append(match.span())
            if not match.groupdict().get("none"):
                found.append((match.start(), name))
    for match in _NAME.finditer(_without(text, taken)):
        found += [(match.start(), name) for name in _names(match[0], text, match.start())]
    kept: dict[str, str] = {}
    for _, name in sorted(found):
        if 1 < len(name) <= _ENTITY_CHARS_MAX:
            kept.setdefault(name.casefold(), name)
    return tuple(kept.values())[:_ENTITIES_MAX]


def _numbered(name: str) -> str | None:
    """What was found by its digits or marks, if it names something: a plain word before a number
    does not.
    """
    if _ORDINAL.fullmatch(name) or _DATE.fullmatch(name):
        return None
    word, _, rest = name.partition(" ")
    if rest and word.casefold() in _OPENING:
        return None
    if rest:
        named = word != word.lower() and word.casefold() not in _PLAIN
        return name if named or not rest[:1].isdigit() or not word[:1].isalpha() else None
    if name[:1] in "#$€£¥" or "://" in name or not re.search(r"[^\W\d_]", name):
        return (
            name
            if len(name) > 1 and not name.isdecimal() and not _DECIMAL.fullmatch(name)
            else None
        )
    if re.search(r"\d", name):
        # Where no spaces part the words, what stands around a number is not its name.
        return None if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", name) else name
    pieces = re.split(r"[._/@]", name)
    # "and/or" and "e.g" are no names; a path, a host and a module are.
    joined = len(pieces) > 2 or (len(pieces) == 2 and not re.search("/", name))
    return name if joined and all(pieces) and max(map(len, pieces)) > 1 else None


def _without(text: str, taken: list[tuple[int, int]]) -> str:
    for start, end in taken:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _names(run: str, text: str, at: int) -> Iterator[str]:
    """The names in a run of words with capitals, without those that only begin a sentence."""
    if not _UPPER.match(
        run
    ):  # A script without capitals: no run of it is told apart from the sentence.
        return
    parts = _OWNED.match(run)
    # Ann's Tesla is Ann and a Tesla; St. Michael's Hospital is one.
    if parts and parts["owned"].split()[-1].casefold() not in _HOUSES:
        yield from _names(parts["owner"], text, at)
        yield from _names(parts["owned"], text, at + parts.start("owned"))
        return
    words = re.sub(r"['’]s?$", "", run).rstrip(".,").split()
    if len(words) > 1 and words[0].casefold() in _BIDDING and _is_first(text, at):
        words = words[1:]
    while words and (_is_plain(words[0]) or words[0].casefold() in _TITLES or words[0] in _MIDDLE):
        words = words[1:]
    while words and (_is_plain(words[-1]) or words[-1] in _MIDDLE):
        words = words[:-1]
    if words and words[0].casefold() in _ROLES:
        words = [word for word in words[1:] if word not in _MIDDLE]
    labels = len(run.split()) == 1 and text[at + len(run) : at + len(run) + 1] == ":"
    if (
        not words
        or labels
        or (len(words) == 1 and (_begins(words[0], text, at) or _DATE.fullmatch(words[0])))
    ):
        return
    yield " ".join(words).rstrip(".")


def _is_plain(word: str) -> bool:
    return (
        word.casefold() in _PLAIN
        or re.split(r"['’](?=(?:ll|re|ve|d|m)$)", word.casefold())[0] in _PLAIN
    )


def _begins(word: str, text: str, at: int) -> bool:
    """Whether a word may have its capital only because a sentence begins with it, or names a sort
    and not a thing.
    """
    plain = word.casefold()
    if plain in _GENERIC or plain in _TITLES:
        return True
    if not _is_first(text, at) or not word[1:].islower():
        return False
    return plain in _OPENING or (plain.endswith(("ing", "ly", "ed")) and len(word) > 4)


def _is_first(text: str, at: int) -> bool:
    """Whether a sentence, an item or a line begins at a place."""
    before = text[:at].rstrip(" \t")
    return not before or before[-1] in ".!?:;\n-•*\"'“(]"
