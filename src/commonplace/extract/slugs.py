"""Turns headings, labels and sentences into the segments of a keypath."""

import re
import unicodedata

SEGMENT_CHARS_MAX = 60
_SENTENCE_WORDS = 6
_SENTENCE_CHARS_MAX = 48
_STOPS = frozenset(
    "a an and are as at be been by for from had has have i in into is it its of on or our so that"
    " the their then there they this those these to was we were will with you your".split()
)
# A label that reads as a path is one: `auth.provider`, `auth/oauth.go`; `CI/CD` is a name.
_DOTTED = re.compile(r"[^\s./]+(?:[./][^\s./]+)*\.[^\s./]+|[^\s./]+(?:/[^\s./]+)+")


def segment(text: str) -> str:
    """One segment of a keypath: lower case, letters and digits of any script, underscores between
    words.
    """
    return _cut(_joined(text), SEGMENT_CHARS_MAX) or "item"


def fits_segment(text: str) -> bool:
    """Whether a segment says all the words of a text, so that it can stand for it."""
    return 0 < len(_joined(text)) <= SEGMENT_CHARS_MAX


def label_segments(text: str) -> str:
    """The segments a label names: one, or several where it reads as a path."""
    plain = text.strip()
    if not _DOTTED.fullmatch(plain) or ("." not in plain and plain != plain.casefold()):
        return segment(plain)
    return ".".join(segment(part) for part in re.split(r"[./]", plain))


def sentence_segment(text: str) -> str:
    """A segment from the first content words of a sentence."""
    words = [word for word in re.split(r"\s+", text.strip()) if re.search(r"\w", word)]
    # Numbers change, so a key with one would soon be wrong.
    content = [word for word in words if not re.fullmatch(r"[\d\W]+", word)] or words
    content = [
        word for word in content if re.sub(r"\W", "", word).casefold() not in _STOPS
    ] or content
    return _cut(segment(" ".join(content[:_SENTENCE_WORDS])), _SENTENCE_CHARS_MAX)


def _joined(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "_", re.sub(r"(?<=\w)['’`](?=\w)", "", plain)).strip("_")


def _cut(text: str, most: int) -> str:
    """At most so many characters, at a word's end where there is one."""
    if len(text) <= most:
        return text
    return (text[:most].rsplit("_", 1)[0] if "_" in text[:most] else text[:most]).strip("_")
