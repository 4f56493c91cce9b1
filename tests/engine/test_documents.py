"""Documents are kept word for word under a name, and really gone when deleted."""

import pytest

from commonplace.engine import documents, memories
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Invalid, NotFound, TooLarge
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.memory import Draft
from commonplace.records.query import Filter
from commonplace.records.work import DocumentDraft
from tests.conftest import StoppedClock

FROG = DocumentDraft(
    "frog.md", "A frog is green.", title="Frogs", tags=("animal",), metadata={"page": 1}
)


def test_a_new_document_can_be_read_back_word_for_word(engine: Engine) -> None:
    document, change = documents.put_document(engine, "zoo", FROG)

    assert change == "added"
    assert documents.get_document(engine, "zoo", "frog.md") == document
    assert (document.text, document.title, document.tags) == (
        "A frog is green.",
        "Frogs",
        ("animal",),
    )
    assert (document.metadata, document.text_chars, len(document.sha256)) == ({"page": 1}, 16, 64)


def test_the_same_text_again_changes_nothing(engine: Engine, clock: StoppedClock) -> None:
    before, _ = documents.put_document(engine, "zoo", FROG)
    clock.advance(1000)

    after, change = documents.put_document(engine, "zoo", FROG)

    assert change == "unchanged"
    assert after == before


def test_another_text_replaces_the_old_one_and_keeps_the_id(
    engine: Engine, clock: StoppedClock
) -> None:
    before, _ = documents.put_document(engine, "zoo", FROG)
    clock.advance(1000)

    after, change = documents.put_document(
        engine, "zoo", DocumentDraft("frog.md", "A frog is brown.")
    )

    assert change == "replaced"
    assert (after.id, after.text, after.created_at) == (
        before.id,
        "A frog is brown.",
        before.created_at,
    )
    assert after.updated_at == before.updated_at + 1000
    assert after.sha256 != before.sha256


def test_labels_that_are_not_given_stay(engine: Engine) -> None:
    documents.put_document(engine, "zoo", FROG)

    after, _ = documents.put_document(
        engine, "zoo", DocumentDraft("frog.md", "It jumps."), append=True
    )

    assert (after.title, after.tags, after.metadata) == ("Frogs", ("animal",), {"page": 1})


def test_new_labels_on_the_same_text_are_kept_and_the_text_counts_as_unchanged(
    engine: Engine,
) -> None:
    documents.put_document(engine, "zoo", FROG)

    after, change = documents.put_document(
        engine, "zoo", DocumentDraft("frog.md", FROG.text, tags=("pond",))
    )

    assert (change, after.tags) == ("unchanged", ("pond",))


def test_appending_puts_the_text_on_a_new_line(engine: Engine) -> None:
    documents.put_document(engine, "zoo", FROG)

    after, change = documents.put_document(
        engine, "zoo", DocumentDraft("frog.md", "It jumps."), append=True
    )

    assert (change, after.text) == ("replaced", "A frog is green.\nIt jumps.")


def test_appending_to_nothing_adds(engine: Engine) -> None:
    after, change = documents.put_document(engine, "zoo", FROG, append=True)

    assert (change, after.text) == ("added", FROG.text)


def test_appending_over_the_limit_is_refused_and_changes_nothing(engine: Engine) -> None:
    before, _ = documents.put_document(
        engine, "zoo", DocumentDraft("big", "x" * (TEXT_BYTES_MAX - 3))
    )

    with pytest.raises(TooLarge):
        documents.put_document(engine, "zoo", DocumentDraft("big", "four"), append=True)

    assert documents.get_document(engine, "zoo", "big") == before


def test_a_list_shows_the_last_changed_first_without_texts(
    engine: Engine, clock: StoppedClock
) -> None:
    for name in ("a", "b", "c"):
        documents.put_document(engine, "zoo", DocumentDraft(name, f"Text of {name}"))
        clock.advance(1)
    documents.put_document(engine, "zoo", DocumentDraft("a", "Newer text of a"))

    page = documents.list_documents(engine, "zoo", limit=2)

    assert [document.name for document in page.items] == ["a", "c"]
    assert page.total == 3
    assert (page.items[0].text, page.items[0].text_chars) == ("", 15)
    assert [d.name for d in documents.list_documents(engine, "zoo", limit=2, offset=2).items] == [
        "b"
    ]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("FROG", ["frog.md"]),
        ("green", ["frog.md"]),
        ("frogs", ["frog.md"]),
        ("ÜBER", ["über.md"]),
        ("100%", ["über.md"]),
        ("_", []),
        ("nothing", []),
        ("  ", ["über.md", "frog.md"]),
    ],
)
def test_a_query_is_a_substring_of_name_title_or_text(
    engine: Engine, words: str, names: list[str]
) -> None:
    documents.put_document(engine, "zoo", FROG)
    documents.put_document(engine, "zoo", DocumentDraft("über.md", "Alles zu 100% sicher."))

    page = documents.list_documents(engine, "zoo", words)

    assert [document.name for document in page.items] == names
    assert page.total == len(names)


def test_documents_do_not_cross_the_wall(engine: Engine) -> None:
    documents.put_document(engine, "zoo", FROG)
    documents.put_document(engine, "farm", DocumentDraft("cow.md", "A cow is brown."))

    with pytest.raises(NotFound):
        documents.get_document(engine, "farm", "frog.md")
    assert [d.name for d in documents.list_documents(engine, "farm").items] == ["cow.md"]


def test_names_of_documents_are_found_by_id_within_the_bank(engine: Engine) -> None:
    frog, _ = documents.put_document(engine, "zoo", FROG)
    cow, _ = documents.put_document(engine, "farm", DocumentDraft("cow.md", "A cow is brown."))

    assert documents.document_names(engine, "zoo", [frog.id, cow.id, 7]) == {frog.id: "frog.md"}
    assert documents.document_names(engine, "nowhere", [frog.id]) == {}


def test_deleting_a_document_purges_its_memories_and_no_others(
    engine: Engine, clock: StoppedClock
) -> None:
    frog, _ = documents.put_document(engine, "zoo", FROG)
    made = memories.remember(engine, "zoo", Draft("Frogs are green.", document_id=frog.id)).memory
    old = Draft("Frogs were blue.", document_id=frog.id, expires_at=clock.now() + 1)
    expired = memories.remember(engine, "zoo", old).memory
    other = memories.remember(engine, "zoo", Draft("Cows are brown.")).memory
    clock.advance(10)
    assert documents.get_document(engine, "zoo", "frog.md").memory_count == 2

    purged = documents.delete_document(engine, "zoo", "frog.md")

    assert sorted(purged) == sorted([made.id, expired.id])
    with pytest.raises(NotFound):
        documents.get_document(engine, "zoo", "frog.md")
    everything = memories.list_memories(engine, "zoo", Filter(status="any", expired=True))
    assert [memory.id for memory in everything] == [other.id]


def test_a_deleted_document_leaves_no_word_in_the_file(engine: Engine) -> None:
    documents.put_document(engine, "zoo", DocumentDraft("secret", "The word is xylophonist." * 400))

    documents.delete_document(engine, "zoo", "secret")

    files = engine.db.path.parent.glob(engine.db.path.name + "*")
    assert not any(b"xylophonist" in file.read_bytes() for file in files)


@pytest.mark.parametrize(
    "draft",
    [
        DocumentDraft("", "text"),
        DocumentDraft("   ", "text"),
        DocumentDraft("a\nb", "text"),
        DocumentDraft("n" * 201, "text"),
        DocumentDraft("a", ""),
        DocumentDraft("a", " \n "),
        DocumentDraft("a", "nul \x00"),
        DocumentDraft("a", "half \ud800"),
        DocumentDraft("a", "x" * (TEXT_BYTES_MAX + 1)),
        DocumentDraft("a", "text", tags=tuple(f"t{i}" for i in range(10_000))),
        DocumentDraft("a", "text", metadata={"x": float("nan")}),
        DocumentDraft("a", "text", title="t" * 501),
    ],
)
def test_a_bad_document_is_refused_with_a_hint_and_nothing_changes(
    engine: Engine, draft: DocumentDraft
) -> None:
    with pytest.raises((Invalid, TooLarge)) as refusal:
        documents.put_document(engine, "zoo", draft)

    assert refusal.value.hint
    assert documents.list_documents(engine, "zoo").total == 0


def test_reading_does_not_make_a_bank(engine: Engine) -> None:
    assert documents.list_documents(engine, "nowhere").items == ()
    with pytest.raises(NotFound):
        documents.get_document(engine, "nowhere", "x")
    with pytest.raises(NotFound):
        documents.delete_document(engine, "nowhere", "x")
    assert engine.list_banks() == ()


@pytest.mark.parametrize(
    "bounds", [{"limit": -1}, {"limit": 1001}, {"offset": -1}, {"offset": 2**63}]
)
def test_limits_out_of_range_are_refused(engine: Engine, bounds: dict[str, int]) -> None:
    with pytest.raises(CommonplaceError):
        documents.list_documents(engine, "zoo", **bounds)
