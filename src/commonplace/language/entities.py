"""Finds the entities in a text: people, places, products, amounts and identifiers.

A name is a run of words with capitals. The first word of a sentence has a capital anyway, so common
first words are left out. Identifiers and amounts are matched first, so that no part of them becomes
a name. Pure: only the spelling of the words counts.
"""

import re
from collections.abc import Iterator
from itertools import dropwhile

_ENTITIES_MAX = 12
_ENTITY_CHARS_MAX = 60
_READ_CHARS_MAX = 3_000  # The first entities of a long text are enough.
_UNITS = (
    r"%|percent|usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|francs?|yen|km/h|km|kg|cm|mm|gb|mb|kb|tb|ms|mph|kwh|kw|mhz|ghz|"
    r"hours?|minutes?|miles?|grams?|litres?|liters?|metres?|meters?"
)
# In order of precedence: a later pattern skips the characters that an earlier one has matched.
_IDENTIFIERS = (
    re.compile(r"\bhttps?://[^\s<>\"')\]]+[\w/]"),
    re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+\b"),
    re.compile(
        rf"[$€£¥]\s?\d(?:[\d.,]*\d)?(?:\s?(?:k|m|bn?|thousand|million|billion))?\b"
        rf"|(?<![\w.,-])\d(?:[\d.,]*\d)?\s?(?:(?:thousand|million|billion)\s)?(?:{_UNITS})(?!\w)",
        re.IGNORECASE,
    ),
    # Dates are no entities.
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
_GENERIC_NOUNS = frozenset(
    (
        "ticket invoice order room pr isbn sku id item issue bug version port page chapter section"
        " step number line row rule table figure release build sprint task phase gate flight bus"
        " unit"
    ).split()
)
_ROLES = frozenset(
    "ceo cto cfo coo vp head director president chair manager founder cofounder owner".split()
)
_COMMON_WORDS = frozenset(
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
# Words that begin many notes and are no names there. Inside a sentence a capital makes them names.
_OPENING_WORDS = frozenset(
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
_IMPERATIVES = frozenset("ask tell send buy email remind read take give show thank".split())
_DATE = re.compile(
    r"(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\w{0,6}\.?"
    r" \d{1,2}|feb|apr|aug|sept?|oct|nov|dec)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th|s)", re.IGNORECASE)
_OWNED = re.compile(r"(?P<owner>.+?)['’]s[ \t]+(?P<owned>.+)")
_BUILDINGS = frozenset(
    "hospital church school college university restaurant bar inn hotel cathedral market street"
    " square park day museum palace theatre theater shop store pub cafe".split()
)
_PARTICLES = frozenset("of the de del van von der den da di la le al".split())


def find_entities(text: str) -> tuple[str, ...]:
    """The entities of a text, each once, as written."""
    text = text[:_READ_CHARS_MAX]
    found, matched = _find_identifiers(text)
    for match in _NAME.finditer(_blank_out(text, matched)):
        found += [(match.start(), name) for name in _split_run(match[0], text, match.start())]
    each: dict[str, str] = {}
    for _, name in sorted(found):
        if 1 < len(name) <= _ENTITY_CHARS_MAX:
            each.setdefault(name.casefold(), name)
    return tuple(each.values())[:_ENTITIES_MAX]


def _find_identifiers(text: str) -> tuple[list[tuple[int, str]], list[tuple[int, int]]]:
    """Identifiers and amounts with their positions, and the spans of characters they cover."""
    found: list[tuple[int, str]] = []
    matched: list[tuple[int, int]] = []
    for pattern in _IDENTIFIERS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in matched):
                continue
            name = match[0].strip("._-/ ")
            if not _is_identifier(name):
                continue
            matched.append(match.span())
            if not match.groupdict().get("none"):
                found.append((match.start(), name))
    return found, matched


def _is_identifier(name: str) -> bool:
    """Whether a match with digits or signs is an entity."""
    if _ORDINAL.fullmatch(name) or _DATE.fullmatch(name):
        return False
    word, _, rest = name.partition(" ")
    if rest:
        return _is_numbered_name(word, rest)
    if name[:1] in "#$€£¥" or "://" in name or not re.search(r"[^\W\d_]", name):
        return len(name) > 1 and not name.isdecimal() and not _DECIMAL.fullmatch(name)
    if re.search(r"\d", name):
        # In a script without spaces the characters around a number are not a part of its name.
        return not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", name)
    return _is_joined_name(name)


def _is_numbered_name(word: str, rest: str) -> bool:
    """Whether a word before a number is a name, such as PostgreSQL 16; a common word is none."""
    if word.casefold() in _OPENING_WORDS:
        return False
    is_name = word != word.lower() and word.casefold() not in _COMMON_WORDS
    return is_name or not rest[:1].isdigit() or not word[:1].isalpha()


def _is_joined_name(name: str) -> bool:
    """Whether words joined by signs are a name: a path, a host or a module, but not "and/or" and
    "e.g".
    """
    pieces = re.split(r"[._/@]", name)
    is_joined = len(pieces) > 2 or (len(pieces) == 2 and not re.search("/", name))
    return is_joined and all(pieces) and max(map(len, pieces)) > 1


def _blank_out(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _split_run(run: str, text: str, at: int) -> Iterator[str]:
    """The names in a run of words with capitals, without words that only begin a sentence."""
    if not _UPPER.match(run):  # Without capitals, a name does not stand out from its sentence.
        return
    parts = _OWNED.match(run)
    # "Ann's Tesla" is Ann and a Tesla; "St. Michael's Hospital" is one name.
    if parts and parts["owned"].split()[-1].casefold() not in _BUILDINGS:
        yield from _split_run(parts["owner"], text, at)
        yield from _split_run(parts["owned"], text, at + parts.start("owned"))
        return
    words = _trim(re.sub(r"['’]s?$", "", run).rstrip(".,").split(), is_first=_is_first(text, at))
    is_label = len(run.split()) == 1 and text[at + len(run) : at + len(run) + 1] == ":"
    if words and not is_label and not (len(words) == 1 and _is_no_name(words[0], text, at)):
        yield " ".join(words).rstrip(".")


def _trim(words: list[str], *, is_first: bool) -> list[str]:
    """The words of a run without verbs, titles, roles and common words at its ends."""
    if is_first and len(words) > 1 and words[0].casefold() in _IMPERATIVES:
        words = words[1:]
    words = list(dropwhile(_can_precede, words))
    words = list(dropwhile(_can_follow, reversed(words)))[::-1]
    if words and words[0].casefold() in _ROLES:
        return [word for word in words[1:] if word not in _PARTICLES]
    return words


def _can_precede(word: str) -> bool:
    """Whether a word before a name is not a part of it."""
    return _is_common(word) or word.casefold() in _TITLES or word in _PARTICLES


def _can_follow(word: str) -> bool:
    """Whether a word after a name is not a part of it."""
    return _is_common(word) or word in _PARTICLES


def _is_common(word: str) -> bool:
    plain = word.casefold()
    return (
        plain in _COMMON_WORDS or re.split(r"['’](?=(?:ll|re|ve|d|m)$)", plain)[0] in _COMMON_WORDS
    )


def _is_no_name(word: str, text: str, at: int) -> bool:
    """Whether a single word is a date, a common noun, or has a capital only because it begins a
    sentence.
    """
    plain = word.casefold()
    if plain in _GENERIC_NOUNS or plain in _TITLES or _DATE.fullmatch(word):
        return True
    if not _is_first(text, at) or not word[1:].islower():
        return False
    return plain in _OPENING_WORDS or (plain.endswith(("ing", "ly", "ed")) and len(word) > 4)


def _is_first(text: str, at: int) -> bool:
    """Whether a sentence, an item or a line begins at a position."""
    before = text[:at].rstrip(" \t")
    return not before or before[-1] in ".!?:;\n-•*\"'“(]"
