"""Finds every regular expression of the source by itself, and derives from each the texts that
could slow it down.

A pattern is found as an object of an imported module (also in classes and containers), or as a call
such as `re.sub(...)` inside a function. How it is called (match, fullmatch or anywhere) is read
from the source as well.
"""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from types import FunctionType, ModuleType
from typing import Any

import commonplace

_CALLS = frozenset("compile match fullmatch search sub subn split findall finditer".split())
_DEPTH_MAX = 4
_UNITS_MAX = 250
# Runs that slow down patterns nobody would suspect; each is also tried behind what a pattern begins
# with.
STOCK = (
    *(
        " ",
        "\t",
        "\n",
        "\r\n",
        "\u00a0",
        "\u3000",
        ".",
        "!",
        "?",
        ",",
        ";",
        ":",
        "-",
        "_",
        "#",
        "*",
        "|",
        "`",
        '"',
        "'",
    ),
    *(
        "’",
        "(",
        "[",
        "[[",
        "{",
        "<",
        ">",
        "/",
        "\\",
        "@",
        "=",
        "~",
        "a",
        "A",
        "1",
        "é",
        "你",
        "。",
        "，",
        "Aa",
        "a1",
    ),
    *(
        "a ",
        "A ",
        "Aa ",
        "1 ",
        "a.",
        "a. ",
        "A. ",
        ". ",
        "? ",
        ".?",
        ", ",
        "a,",
        "a-",
        "a:",
        ": ",
        "a@",
        "@a.",
        "1.",
    ),
    *(
        "1,",
        "\n ",
        " \n",
        "\n\n",
        "- ",
        "-\n",
        "> ",
        "| ",
        "a|",
        "|-",
        "**",
        "``",
        '\\"',
        "a='",
        "://",
        "the ",
        "and a ",
        "I ",
        "x=1 ",
    ),
)
_SAMPLES = " a1A.,-\n\t'\":!?#*_/(<[|`=@+%$’é你。\x00\ue200\ue201{}>)]\\~&;^"


@dataclass(frozen=True)
class Found:
    """A pattern of the source: where it is, and how it is called."""

    place: str
    pattern: "re.Pattern[Any]"
    calls: frozenset[str]

    def __str__(self) -> str:
        return self.place


@cache
def modules() -> tuple[ModuleType, ...]:
    names = [one.name for one in pkgutil.walk_packages(commonplace.__path__, "commonplace.")]
    return (
        commonplace,
        *(importlib.import_module(name) for name in sorted(names) if not name.endswith("__main__")),
    )


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text())


@cache
def found() -> tuple[Found, ...]:
    """Every pattern of the source, once."""
    out: dict[tuple[str, int], Found] = {}
    uses = _uses()
    for module in modules():
        for place, pattern in _held(vars(module), module.__name__, 0, set()):
            name = place.rsplit(".", 1)[-1].split("[", 1)[0]
            whole = "[" not in place
            calls = uses.get(_known(module, name), frozenset()) if whole else frozenset[str]()
            out.setdefault((pattern.pattern, pattern.flags), Found(place, pattern, _kinds(calls)))
        for one in _inline(module):
            out.setdefault((one.pattern.pattern, one.pattern.flags, next(iter(one.calls))), one)  # type: ignore[arg-type]
    return tuple(out.values())


def _kinds(calls: frozenset[str]) -> frozenset[str]:
    """How a pattern is tried; one whose calls are not to be seen is tried anywhere in a text."""
    return calls if calls and calls <= {"match", "fullmatch"} else frozenset({"search"})


def _held(
    values: object, place: str, depth: int, seen: set[int]
) -> Iterator[tuple[str, "re.Pattern[Any]"]]:
    if isinstance(values, re.Pattern):
        yield place, values
    elif depth > _DEPTH_MAX or id(values) in seen:
        return
    elif isinstance(values, Mapping):
        seen.add(id(values))
        for name, value in list(values.items()):
            inner = f"{place}.{name}" if depth == 0 else f"{place}[{name!r}]"
            yield from _held(value, inner, depth + 1, seen)
            yield from _held(name, inner, depth + 1, seen) if depth else ()
    elif isinstance(values, list | tuple | set | frozenset):
        seen.add(id(values))
        for at, value in enumerate(values):
            yield from _held(value, f"{place}[{at}]", depth + 1, seen)
    elif isinstance(values, type) and values.__module__.startswith("commonplace"):
        seen.add(id(values))
        yield from _held(dict(vars(values)), place, depth, seen)
    elif isinstance(values, FunctionType) and values.__module__.startswith("commonplace"):
        seen.add(id(values))
        kept = [
            *(values.__defaults__ or ()),
            *(cell.cell_contents for cell in values.__closure__ or ()),
        ]
        yield from _held(kept, place, depth + 1, seen)


@cache
def _uses() -> Mapping[tuple[str, str], frozenset[str]]:
    """By the name of a pattern: the methods called on it. A name used in any other way may be
    searched.
    """
    out: dict[tuple[str, str], set[str]] = {}
    for module in modules():
        tree = _tree(module)
        called = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in _CALLS
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _CALLS:
                name = (
                    node.value.id
                    if isinstance(node.value, ast.Name)
                    else getattr(node.value, "attr", "")
                )
                out.setdefault(_known(module, name), set()).add(node.attr)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                if id(node) not in called:
                    out.setdefault(_known(module, name), set()).add("search")
    return {name: frozenset(calls) for name, calls in out.items()}


def _known(module: ModuleType, name: str) -> tuple[str, str]:
    """A name with an underscore is used in its own module only."""
    return (module.__name__ if name.startswith("_") else "", name)


def _inline(module: ModuleType) -> Iterator[Found]:
    """The patterns that functions name where they call them."""
    for function in ast.walk(_tree(module)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _CALLS
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
            ):
                text, flags = _text(node.args[0], module), _flags(node, module)
                place = f"{module.__name__}:{node.lineno}"
                if text is None:
                    continue  # Built while the program runs, see test_globs and test_questions.
                yield Found(place, re.compile(text, flags), _kinds(frozenset({node.func.attr})))


def _flags(call: ast.Call, module: ModuleType) -> int:
    every = [*call.args, *(word.value for word in call.keywords)]
    found = [node for one in every for node in ast.walk(one) if isinstance(node, ast.Attribute)]
    return sum(
        {
            int(getattr(re, node.attr))
            for node in found
            if node.attr.isupper() and hasattr(re, node.attr)
        }
    )


def _text(node: ast.expr, module: ModuleType) -> Any:
    """The text of a pattern as written; a part that was escaped stands for one letter."""
    if isinstance(node, ast.JoinedStr):
        parts = [_text(one, module) for one in node.values]
        return None if None in parts else "".join(map(str, parts))
    if isinstance(node, ast.FormattedValue):
        inner = node.value
        escaped = (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr == "escape"
        )
        return "a" if escaped else _text(inner, module)
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), vars(module))
    except NameError:
        return "a" if isinstance(node, ast.Subscript) else None
    return value if isinstance(value, str | bytes) else None


def hostile(pattern: "re.Pattern[Any]") -> Iterator[tuple[str, str, str]]:
    """What to try a pattern with: what stands first, what is repeated, and what the text ends
    with.
    """
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    tree = parser.parse(
        text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    units: dict[tuple[str, str], None] = {}
    for before, unit in _repeats(list(tree), ""):
        units[before, unit] = None
        units["", before + unit] = None
        if len(units) > _UNITS_MAX:
            break
    heads = dict.fromkeys(before for before, _ in units)
    for before, unit in [one for one in units if one[1]]:
        for end in ("", "\x00"):
            yield before, unit, end
    for unit in STOCK:
        yield "", unit, "\x00"
        yield "", unit, ""
    for before in [one for one in heads if one][:6]:
        for unit in STOCK[:12] + STOCK[36:42]:
            yield before, unit, "\x00"


def _repeats(tree: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each repetition of a pattern: a text that leads to it, and one that it takes."""
    lead = before
    for at, (name, value) in enumerate(tree):
        kind = str(name)
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = value
            if most > 20:
                follow = _sample(tree[at + 1 :])[:20]
                for unit in _units(list(inner)):
                    yield lead, unit
                    yield lead, unit + follow
            yield from _repeats(list(inner), lead)
        elif kind == "SUBPATTERN":
            yield from _repeats(list(value[3]), lead)
        elif kind == "ATOMIC_GROUP":
            yield from _repeats(list(value), lead)
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from _repeats(list(branch), lead)
        elif kind in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(list(value[1]), lead)
        lead += _sample([(name, value)])


def _units(inner: list[Any]) -> Iterator[str]:
    """Texts that a repetition takes: one for each kind of character, and for each alternative."""
    if len(inner) == 1 and str(inner[0][0]) in ("IN", "ANY", "NOT_LITERAL", "LITERAL", "CATEGORY"):
        accepted = [one for one in _SAMPLES if _accepts(inner[0], one)]
        yield from accepted[:10] or [_sample(inner)]
        return
    yield _sample(inner)
    yield _sample(inner, more=True)
    for at, (name, value) in enumerate(inner):
        if str(name) == "SUBPATTERN":
            name, value = value[3][0] if len(value[3]) == 1 else (name, value)
        if str(name) == "BRANCH":
            head, tail = _sample(inner[:at]), _sample(inner[at + 1 :])
            for branch in value[1]:
                yield head + _sample(list(branch)) + tail


def _sample(tree: list[Any], more: bool = False) -> str:
    """A text that a part of a pattern takes."""
    out = ""
    for name, value in tree:
        kind = str(name)
        if kind == "LITERAL":
            out += chr(value)
        elif kind in ("IN", "ANY", "NOT_LITERAL", "CATEGORY"):
            out += next(
                (one for one in ("a", *_SAMPLES) if _accepts((name, value), one)), _first(value)
            )
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            count = min(max(value[0], int(more)), 40)
            out += _sample(list(value[2]), more) * count
        elif kind == "SUBPATTERN":
            out += _sample(list(value[3]), more)
        elif kind == "ATOMIC_GROUP":
            out += _sample(list(value), more)
        elif kind == "BRANCH":
            out += _sample(list(value[1][0]), more)
    return out


def _first(value: Any) -> str:
    for name, inner in value if isinstance(value, list) else ():
        if str(name) == "LITERAL":
            return chr(inner)
        if str(name) == "RANGE":
            return chr(inner[0])
    return "a"


def _accepts(node: Any, sign: str) -> bool:
    name, value = str(node[0]), node[1]
    if name == "LITERAL":
        return ord(sign) == value
    if name == "NOT_LITERAL":
        return ord(sign) != value
    if name == "ANY":
        return sign != "\n"
    if name == "RANGE":
        return value[0] <= ord(sign) <= value[1]
    if name == "CATEGORY":
        plain = str(value).removeprefix("CATEGORY_")
        is_in = {
            "DIGIT": sign.isdigit(),
            "SPACE": sign.isspace(),
            "WORD": sign.isalnum() or sign == "_",
        }
        return is_in[plain.removeprefix("NOT_")] != plain.startswith("NOT_")
    if name == "IN":
        negated = str(value[0][0]) == "NEGATE"
        return any(_accepts(one, sign) for one in value[negated:]) != negated
    return False
