"""Texts that are hard on a program which reads them: what repeats, what never ends, and what is
only long.
"""

from collections.abc import Callable, Mapping

Shape = Callable[[int], str]


def repeated(unit: str, head: str = "", tail: str = "") -> Shape:
    """A text of so many characters that repeats a unit between a head and a tail."""

    def made(chars: int) -> str:
        room = max(0, chars - len(head) - len(tail))
        return head + (unit * (room // len(unit) + 1))[:room] + tail

    return made


def numbered(line: str) -> Shape:
    """A text of so many characters whose lines differ by a number."""

    def made(chars: int) -> str:
        lines: list[str] = []
        size = 0
        while size < chars:
            lines.append(line.format(len(lines), _word(len(lines))))
            size += len(lines[-1])
        return "".join(lines)[:chars]

    return made


def nested(opening: str, closing: str) -> Shape:
    """Brackets inside of brackets, as deep as so many characters allow."""

    def made(chars: int) -> str:
        depth = chars // (len(opening) + len(closing))
        return opening * depth + closing * depth

    return made


def _word(number: int) -> str:
    """A word for a number: no two numbers share one."""
    letters = ""
    while number >= 0:
        letters += "bdfgklmnprstvz"[number % 14] + "aeiou"[number % 5]
        number = number // 70 - 1
    return letters


# What repeats without end: blanks, signs and half-finished words.
RUNS: Mapping[str, Shape] = {
    "one letter": repeated("a"),
    "one capital": repeated("A"),
    "one digit": repeated("1"),
    "blanks": repeated(" ", "Rome hotel", "booked"),
    "blanks before a question mark": repeated(" ", "abcdef", "?"),
    "tabs": repeated("\t", "Rome hotel", "booked"),
    "line breaks": repeated("\n", "Rome hotel", "booked"),
    "carriage returns": repeated("\r\n", "Rome hotel", "booked"),
    "hard spaces": repeated("\u00a0", "Rome hotel", "booked"),
    "wide spaces": repeated("\u3000", "Rome", "hotel"),
    "zero-width spaces": repeated("\u200b", "Rome", "hotel"),
    "dots": repeated(".", "Rome hotel", "booked"),
    "exclamation marks": repeated("!", "Rome hotel", "booked"),
    "question marks": repeated("?", "Rome hotel", "booked"),
    "dots and question marks": repeated(".?"),
    "commas": repeated(", ", "I live here", "what?"),
    "dashes": repeated("-", "Rome hotel", "booked"),
    "underscores": repeated("_", "Rome", "hotel"),
    "quotes": repeated('"'),
    "apostrophes": repeated("'s "),
    "backslashes": repeated("\\"),
    "percent signs": repeated("%_"),
    "stars": repeated("*"),
    "slashes": repeated("/a"),
    "camel case": repeated("Aa"),
    "dotted letters": repeated("a.b"),
    "letters and digits": repeated("a1"),
    "at signs": repeated("a@"),
    "emoji": repeated("😀"),
    "joined emoji": repeated("👩\u200d"),
    "combining marks": repeated("\u0301", "e"),
    "letters that grow when folded": repeated("İŉ"),
    "written from right to left": repeated("שלום "),
    "chinese without a stop": repeated("你好北京"),
    "chinese sentences": repeated("我喜欢在北京吃烤鸭。"),
    "private characters": repeated("\ue200\ue201"),
}

# What looks like the beginning of something that has a form.
FORMS: Mapping[str, Shape] = {
    "small talk": repeated("thanks for your ", "", "!x"),
    "apologies": repeated("sorry ", "", "!x"),
    "a padded heading": repeated(" ", "# a", "b"),
    "headings": numbered("# {1} {0}\n"),
    "headings without a text": repeated("# \n"),
    "heading after heading": repeated("#### a\n# b\n"),
    "a padded date": repeated(" ", "I was away on 3 May", "to 5 June."),
    "dates": numbered("I was away on 3 May {0} to 5 June, and the week before. "),
    "times": repeated("between 3 and 5 and "),
    "how many": repeated("how many "),
    "a table": numbered("| {0} | {1} | x |\n"),
    "a table without rows": repeated("|-"),
    "a list": numbered("- {1} is {0}\n"),
    "a list in a list": repeated("  - "),
    "a fence that stays open": numbered("```\nx = {0}\n"),
    "backticks": repeated("`a"),
    "front matter that stays open": numbered("---\nkey{0}: {1}\n"),
    "links that stay open": repeated("[["),
    "links": numbered("[[{1}]] "),
    "tags": numbered("#{1} "),
    "brackets in brackets": nested("(", ")"),
    "json in json": nested('{"a":[', "]}"),
    "html in html": nested("<div><b>", "</b></div>"),
    "a tag that stays open": repeated("<a href='"),
    "addresses": numbered("https://{1}.example.com/{0}?q={1}&r=%20#{0} "),
    "mail addresses": numbered("{1}@{1}.example "),
    "keys and values": numbered("{1}_{0}={0}; "),
    "labels": numbered("{1}: "),
    "base64": repeated("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo+/"),
    "speakers": numbered("Ana: I like {1}.\nBen: And I like {0}.\n"),
}

# What is only long, as a book or a log is.
TALK: Mapping[str, Shape] = {
    "words that never repeat": numbered("{1} "),
    "the same statement": repeated("I live in Rome. "),
    "statements": numbered("Ana bought {0} of {1} from Mr {1} in Rome on 3 May. "),
    "statements without a stop": numbered("and Ana bought {1} and "),
    "changes of mind": numbered("I live in {1} now. "),
    "negations": repeated("I do not never no longer not "),
    "causes": numbered("The {1} failed because the {1} was {0}, so that "),
    "relations": numbered("{1}'s brother's sister's friend of "),
    "names": numbered("Ana {1} and Ben {1}, "),
    "quotations": numbered('"{1}," he said, "is {0}" '),
    "questions": numbered("Does {1} live here? "),
}

SHAPES: Mapping[str, Shape] = {**RUNS, **FORMS, **TALK}
