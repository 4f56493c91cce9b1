"""Bad input gets one of the eight error kinds with a hint, and changes nothing."""

from collections.abc import Callable

import pytest

from commonplace import limits
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Invalid, NotFound, TooLarge
from commonplace.records.memory import BankEdit, Draft, Edit, Origin, Scope

CYCLE: dict[str, object] = {}
CYCLE["self"] = CYCLE

DRAFTS = {
    "empty text": (Draft(""), Invalid),
    "blank text": (Draft(" \n\t "), Invalid),
    "text over the limit": (Draft("x" * (limits.TEXT_BYTES_MAX + 1)), TooLarge),
    "text over the limit in bytes": (Draft("ü" * (limits.TEXT_BYTES_MAX // 2 + 1)), TooLarge),
    "NUL in the text": (Draft("a\x00b"), Invalid),
    "lone surrogate in the text": (Draft("a\ud800b"), Invalid),
    "text that is no text": (Draft(7), Invalid),  # type: ignore[arg-type]
    "10,000 tags": (Draft("x", tags=tuple(map(str, range(10_000)))), TooLarge),
    "a tag of many characters": (Draft("x", tags=("t" * 201,)), TooLarge),
    "a tag with a newline": (Draft("x", tags=("a\nb",)), Invalid),
    "tags as a text": (Draft("x", tags="abc"), Invalid),  # type: ignore[arg-type]
    "a tag that is no text": (Draft("x", tags=(7,)), Invalid),  # type: ignore[arg-type]
    "NUL in a title": (Draft("x", title="\x00"), Invalid),
    "a title of many characters": (Draft("x", title="t" * 501), TooLarge),
    "an empty kind": (Draft("x", kind=" "), Invalid),
    "a key of many characters": (Draft("x", key="k" * 501), TooLarge),
    "NaN in the metadata": (Draft("x", metadata={"n": float("nan")}), Invalid),
    "an object in the metadata": (Draft("x", metadata={"o": object()}), Invalid),
    "metadata in a circle": (Draft("x", metadata=CYCLE), Invalid),
    "metadata as a list": (Draft("x", metadata=[1]), Invalid),  # type: ignore[arg-type]
    "large metadata": (Draft("x", metadata={"t": "x" * limits.METADATA_BYTES_MAX}), TooLarge),
    "NUL in the metadata": (Draft("x", metadata={"t": "\x00"}), Invalid),
    "a lone surrogate in the metadata": (Draft("x", metadata={"t": "\ud800"}), Invalid),
    "a time out of range": (Draft("x", happened_at=10**18), Invalid),
    "an end before the start": (Draft("x", happened_at=2, happened_until=1), Invalid),
    "a user with a newline": (Draft("x", scope=Scope(user="a\nb")), Invalid),
    "a project of many characters": (Draft("x", scope=Scope(project="p" * 201)), TooLarge),
    "a document nobody knows": (Draft("x", document_id=12345), NotFound),
}


@pytest.fixture
def known(engine: Engine) -> Engine:
    engine.remember("b", Draft("The only one.", tags=("t",)))
    return engine


def unchanged(engine: Engine, act: Callable[[], object], kind: type[CommonplaceError]) -> None:
    before = (engine.list("b"), engine.revision("b"), engine.list_banks())
    with pytest.raises(CommonplaceError) as caught:
        act()
    assert type(caught.value) is kind
    assert caught.value.message
    assert caught.value.hint
    assert (engine.list("b"), engine.revision("b"), engine.list_banks()) == before


@pytest.mark.parametrize("name", DRAFTS)
def test_a_bad_draft_is_refused(known: Engine, name: str) -> None:
    draft, kind = DRAFTS[name]
    unchanged(known, lambda: known.remember("b", draft), kind)
    unchanged(known, lambda: known.remember_many("b", [Draft("fine"), draft]), kind)


@pytest.mark.parametrize(
    "name", ["blank text", "NUL in the text", "10,000 tags", "NaN in the metadata", "an empty kind"]
)
def test_a_bad_edit_is_refused(known: Engine, name: str) -> None:
    draft, kind = DRAFTS[name]
    memory = known.list("b")[0]
    edit = Edit(text=draft.text, tags=draft.tags, metadata=draft.metadata, kind=draft.kind)
    unchanged(known, lambda: known.revise("b", memory.id, edit), kind)


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (lambda e: e.get("b", 4242), NotFound),
        (lambda e: e.get("b", "mem_00000000042"), NotFound),
        (lambda e: e.get("b", "no id at all"), Invalid),
        (lambda e: e.get("nobody", 4242), NotFound),
        (lambda e: e.revise("b", e.list("b")[0].id, Edit()), Invalid),
        (lambda e: e.list("b", limit=-1), Invalid),
        (lambda e: e.list("b", offset=-1), Invalid),
        (lambda e: e.list("b", limit=limits.LIST_MAX + 1), TooLarge),
        (lambda e: e.list("b", order="sideways"), Invalid),
        (lambda e: e.list_tags("b", limit=-1), Invalid),
        (lambda e: e.remember("", Draft("x")), Invalid),
        (lambda e: e.remember("b" * 201, Draft("x")), TooLarge),
        (lambda e: e.remember("a\x00", Draft("x")), Invalid),
        (lambda e: e.remember("b", Draft("x"), Origin(who="w" * 300)), TooLarge),
        (lambda e: e.forget("b", list(range(1, limits.BULK_MAX + 2))), TooLarge),
        (lambda e: e.remember_many("b", [Draft("x")] * (limits.BULK_MAX + 1)), TooLarge),
        (lambda e: e.update_bank("nobody", BankEdit(title="x")), NotFound),
        (lambda e: e.update_bank("b", BankEdit(config={"x": object()})), Invalid),
        (lambda e: e.delete_bank("nobody"), NotFound),
        (lambda e: e.tag("b", [e.list("b")[0].id], add=["a\nb"]), Invalid),
    ],
)
def test_a_bad_call_is_refused(
    known: Engine, act: Callable[[Engine], object], kind: type[CommonplaceError]
) -> None:
    unchanged(known, lambda: act(known), kind)


def test_text_of_exactly_the_limit_is_kept(engine: Engine) -> None:
    text = "x" * limits.TEXT_BYTES_MAX
    assert engine.get("b", engine.remember("b", Draft(text)).memory.id).text == text
