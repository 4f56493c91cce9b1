"""docs/glossary.md binds the code: a word of it names one thing, in modules and classes too."""

import ast
import re
from dataclasses import dataclass
from functools import cache

from commonplace.dialects import registry
from tests.docs.loading import ROOT
from tests.test_house import trees

PAGE = ROOT / "docs" / "glossary.md"
ENTRY = re.compile(r"^\*\*([\w ]+)\*\*: (\S.*)")
# What every manual of this design needs.
WORDS = (
    "bank memory version revision key kind scope document chunk entity link tag session checkpoint"
    " reminder job draft query hit channel vault note dialect tool face store database remember"
    " recall get list revise forget restore purge history reflect consolidate extract merge embed"
    " fuse rerank pack enqueue claim finish retry rebuild"
).split()


@dataclass(frozen=True)
class Entry:
    """A word or two, what it means, and the modules and classes of that name."""

    term: str
    meaning: str
    code: tuple[str, ...]

    @property
    def noun(self) -> str:
        return self.term.split()[-1]


@cache
def entries() -> tuple[Entry, ...]:
    found: list[Entry] = []
    for block in PAGE.read_text(encoding="utf-8").split("\n\n"):
        if match := ENTRY.match(block):
            lines = block.splitlines()
            code = [line for line in lines if re.fullmatch(r"(`[\w.]+` ?)+", line)]
            names = tuple(name for line in code for name in re.findall(r"`([\w.]+)`", line))
            found.append(Entry(match[1], match[2], names))
    return tuple(found)


@cache
def code_names() -> frozenset[str]:
    """Every module and every public class, with dots."""
    found: set[str] = set()
    for path, tree in trees():
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        found |= {module, *(f"{module}.{name}" for name in classes if name[0] != "_")}
    return frozenset(found)


def base(name: str) -> str:
    """The last part of a dotted name in lower case and in the singular."""
    last = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rsplit(".", 1)[-1]).lower()
    for plural, singular in (("ies", "y"), ("tches", "tch"), ("s", "")):
        if last.endswith(plural) and not last.endswith(("ss", "us", "is")):
            return last.removesuffix(plural) + singular
    return last


def unlisted(names: frozenset[str], listed: tuple[Entry, ...]) -> list[str]:
    """The names that are a word of the glossary, but are in no entry of that word."""
    # A product's own name is no word of ours.
    products = {f"dialects.{name}" for name in registry.NAMES}
    words = {entry.noun for entry in listed}
    return sorted(
        name
        for name in names - products
        if base(name) in words
        and not any(name in entry.code for entry in listed if entry.noun == base(name))
    )


def test_every_word_of_the_design_is_in_the_glossary() -> None:
    terms = [entry.term for entry in entries()]

    assert [word for word in WORDS if word not in terms] == []


def test_a_word_has_one_meaning_and_a_name_of_the_code_one_word() -> None:
    terms = [entry.term for entry in entries()]
    names = [name for entry in entries() for name in entry.code]

    assert len(terms) > 80
    assert sorted(set(terms)) == sorted(terms)
    assert sorted(set(names)) == sorted(names)


def test_a_module_or_class_named_by_a_word_of_the_glossary_is_that_thing() -> None:
    assert unlisted(code_names(), entries()) == []


def test_what_the_glossary_lists_exists() -> None:
    listed = {name for entry in entries() for name in entry.code}

    assert sorted(listed - code_names()) == []


def test_a_word_that_names_another_thing_is_noticed() -> None:
    key = (Entry("key", "a name", ("engine.keypaths.Key",)),)
    names = frozenset({"engine.keypaths.Key", "faces.connect.Keys", "ids"})
    assert unlisted(names, key) == ["faces.connect.Keys"]
    access = (*key, Entry("access key", "a secret", ("faces.connect.Keys",)))
    assert unlisted(names, access) == []
