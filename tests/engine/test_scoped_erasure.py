"""A part of a bank is erased as a whole, others keep theirs, and a receipt says what went without
telling any of it.
"""

import hashlib
import hmac
import json
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from commonplace import ids
from commonplace.app import open_engine
from commonplace.engine.add_messages import MessageBatch
from commonplace.engine.engine import Engine
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import Invalid, NotFound
from commonplace.extract.statement_splitting import Message
from commonplace.records.memory import Draft, Origin, Scope
from commonplace.records.query import Filter
from commonplace.records.receipt import Portion
from commonplace.records.work import EventDraft, ReminderDraft, SessionDraft, SnapshotDraft
from commonplace.settings import load
from tests.engine.test_erasing import in_files

BANK = "b"


def everything_of(engine: Engine, user: str, project: str, word: str) -> None:
    """A memory, a telling, a session with an event and a published snapshot, a reminder and an open
    stream.
    """
    scope = Scope(user=user, project=project)
    engine.remember(BANK, Draft(f"{word} one", scope=scope))
    engine.add_messages(
        BANK,
        MessageBatch(
            (Message("user", f"My PIN is {word}. I live in Rome."),), scope=Scope(user=user)
        ),
    )
    session = engine.start_session(BANK, SessionDraft(title=word, user=user, project=project))
    engine.checkpoint_session(BANK, session.id, EventDraft(f"{word} was said."))
    engine.publish_snapshot(BANK, session.id, SnapshotDraft())
    engine.add_reminder(
        BANK, ReminderDraft("0 9 * * *", f"{word} again", user=user, project=project)
    )
    stream = engine.start_stream(BANK, Draft("", scope=scope))
    engine.append_chunk(BANK, stream.id, f"{word} is coming")


def test_what_belongs_to_a_user_goes_and_others_keep_theirs(engine: Engine) -> None:
    everything_of(engine, "ana", "web", "quux")
    everything_of(engine, "bob", "web", "zork")

    receipt = engine.erase(BANK, Portion(user="ana"))

    assert in_files(engine, "quux") == []
    assert engine.count(BANK, Filter(users=("bob",))) > 1
    assert engine.list_sessions(BANK).total == 1
    assert len(engine.list_reminders(BANK)) == 1
    assert engine.list_documents(BANK, user="bob").total == 1
    counts = receipt.counts
    assert {
        name: counts[name]
        for name in ("session", "event", "snapshot", "reminder", "stream", "document")
    } == (dict.fromkeys(("session", "event", "snapshot", "reminder", "stream", "document"), 1))


def test_what_belongs_to_a_project_goes_with_the_names_of_its_changes(engine: Engine) -> None:
    everything_of(engine, "", "quux", "quux")
    engine.absorb(BANK, Scope(project="quux"), "# Pins\n\nThe PIN is quux.")
    engine.remember(BANK, Draft("zork", scope=Scope(project="other")))
    engine.erase(BANK, Portion(user=""))
    engine.absorb(BANK, Scope(project="quux"), "# Pins\n\nThe PIN is quux.")

    receipt = engine.erase(BANK, Portion(project="quux"))

    assert receipt.counts["revision"] >= 1
    assert in_files(engine, "quux") == []


def test_a_document_goes_with_its_facts_and_what_others_say_too_stays(engine: Engine) -> None:
    engine.retain(BANK, RetainRequest("The door code is quux. Ana lives in Rome.", "one"))
    engine.retain(BANK, RetainRequest("Ana lives in Rome.", "two"))

    receipt = engine.erase(BANK, Portion(document="one"))

    assert [one.text for one in engine.list(BANK, Filter(kinds=("world",)))] == [
        "Ana lives in Rome."
    ]
    assert receipt.counts["document"] == 1
    assert in_files(engine, "quux") == []


def test_a_session_goes_with_its_events_and_snapshots(engine: Engine) -> None:
    everything_of(engine, "ana", "web", "quux")
    [session] = engine.list_sessions(BANK).items

    receipt = engine.erase(BANK, Portion(session=str(session.id)))

    assert {one.kind for one in receipt.gone} == {"session", "event", "snapshot"}
    assert engine.list_sessions(BANK).total == 0


def test_a_bank_goes_with_everything(engine: Engine) -> None:
    everything_of(engine, "ana", "web", "quux")
    everything_of(engine, "", "", "quux")

    receipt = engine.erase_bank(BANK)

    assert engine.list_banks() == ()
    assert in_files(engine, "quux") == []
    assert receipt.counts["session"] == 2


def test_the_receipt_of_a_bank_names_the_bank_and_all_that_stood_in_it(engine: Engine) -> None:
    engine.retain(BANK, RetainRequest("Ana lives in Rome.", "one"))
    engine.add_directive(BANK, Directive("Tone", "Be brief."))
    engine.add_folder(BANK, "Travel")
    engine.add_mental_model(BANK, MentalModel("home", "Home", "Where does Ana live?"))
    model = engine.refresh_mental_model(BANK, "home")
    engine.refresh_as_job(BANK, "home")
    assert model.content

    receipt = engine.erase_bank(BANK)

    key = bytes.fromhex((engine.db.path.parent / "receipts.key").read_text())
    said = {
        "directive": "Be brief.",
        "knowledge_folder": "Travel",
        "mental_model": model.content,
        "bank": BANK,
    }
    hashes = {one.kind: one.hash for one in receipt.gone if one.kind in said}
    assert hashes == {
        kind: hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        for kind, text in said.items()
    }
    assert receipt.shortened == ()
    assert receipt.counts["job"] >= 1
    assert receipt.counts["revision"] >= 1


def test_the_receipt_of_an_empty_bank_names_the_bank(engine: Engine) -> None:
    engine.create_bank(BANK)

    assert engine.erase_bank(BANK).counts == {"bank": 1}


def test_only_the_forgotten_memories_of_a_user_are_erased_when_that_is_asked(
    engine: Engine,
) -> None:
    for user in ("ana", "bob"):
        for text in ("one", "two"):
            engine.remember(BANK, Draft(f"{user} {text}", scope=Scope(user=user)))
    engine.forget_where(BANK, Filter(text_contains="one"))

    receipt = engine.erase(BANK, Portion(user="ana", forgotten=True))

    assert receipt.counts["memory"] == 1
    left = engine.list(BANK, Filter(status="any"))
    assert sorted(one.text for one in left) == ["ana two", "bob one", "bob two"]


def test_forgetting_what_a_user_said_leaves_what_others_have_forgotten_alone(
    engine: Engine,
) -> None:
    theirs = engine.remember(BANK, Draft("bob one", scope=Scope(user="bob"))).memory
    engine.forget(BANK, [theirs.id])
    before = engine.get(BANK, theirs.id)
    engine.remember(BANK, Draft("ana one", scope=Scope(user="ana")))

    engine.forget_where(BANK, Filter(users=("ana",), status="any"))

    assert engine.get(BANK, theirs.id) == before


def test_a_receipt_names_what_went_by_id_and_keyed_hash_and_tells_no_words(engine: Engine) -> None:
    memory = engine.remember(BANK, Draft("quux", scope=Scope(user="ana"))).memory
    origin = Origin(who="clerk", dialect="cli", reason="request 12")

    receipt = engine.erase(BANK, Portion(user="ana"), origin)

    key = bytes.fromhex((engine.db.path.parent / "receipts.key").read_text())
    [gone] = receipt.gone
    assert (gone.kind, gone.id) == ("memory", memory.id)
    assert gone.hash == hmac.new(key, b"quux", hashlib.sha256).hexdigest()
    assert (receipt.at, receipt.origin, receipt.counts) == (
        engine.clock.now(),
        origin,
        {"memory": 1, "version": 1},
    )
    told = json.dumps(asdict(receipt))
    assert "quux" not in told
    assert '"ana"' not in told


def test_a_receipt_says_what_was_derived_and_what_only_lost_words(engine: Engine) -> None:
    engine.retain(BANK, RetainRequest("Ana lives in Rome. Ben works in Oslo.", "one"))
    engine.retain(BANK, RetainRequest("Ana likes green tea.", "two"))
    facts = engine.list(BANK, Filter(kinds=("world",)))
    [rome] = (one.id for one in facts if "Rome" in one.text)
    assert engine.count(BANK, Filter(kinds=("observation",))) == 1

    receipt = engine.erase_ids(BANK, [rome])

    assert [(one.kind, one.derived) for one in receipt.gone] == [
        ("memory", False),
        ("observation", True),
    ]
    assert [one.kind for one in receipt.shortened] == ["document"]


def test_sessions_lose_the_lines_that_name_or_repeat_an_erased_memory(engine: Engine) -> None:
    session = engine.start_session(BANK)
    memory = engine.remember(BANK, Draft("The PIN is quux.")).memory
    text = (
        f"Memories:\n- {ids.short_form(memory.id)} The PIN is quu…\n"
        "Ana came. The PIN is quux. Ben went."
    )
    engine.checkpoint_session(BANK, session.id, EventDraft(text))
    engine.publish_snapshot(BANK, session.id)

    engine.erase_ids(BANK, [memory.id])

    [event] = engine.list_events(BANK, session.id)
    assert event.text == "Memories:\nAna came. Ben went."
    [snapshot] = engine.list_snapshots(BANK, session.id)
    assert "quu" not in snapshot.text
    assert in_files(engine, "quu") == []


def test_nothing_is_erased_where_nothing_was_chosen(engine: Engine) -> None:
    engine.remember(BANK, Draft("one"))
    with pytest.raises(Invalid):
        engine.erase(BANK, Portion())
    with pytest.raises(NotFound):
        engine.erase("nobody", Portion(user="ana"))
    with pytest.raises(NotFound):
        engine.erase(BANK, Portion(document="none"))
    assert engine.count(BANK) == 1
    assert not engine.erase(BANK, Portion(user="nobody")).gone


@pytest.mark.slow
def test_others_can_write_while_very_much_is_erased(engine: Engine, home: Path) -> None:
    """A second connection stands for another process: it queues for the same file."""
    for start in range(0, 3000, 500):
        drafts = [
            Draft(f"Note {n} of ana", scope=Scope(user="ana")) for n in range(start, start + 500)
        ]
        engine.remember_many(BANK, drafts)
    other = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    done: list[float] = []
    erasing = threading.Thread(
        target=lambda: (engine.erase(BANK, Portion(user="ana")), done.append(time.monotonic()))
    )
    began = time.monotonic()
    erasing.start()
    written = 0
    while erasing.is_alive():
        other.remember("c", Draft(f"Written meanwhile {written}"))
        written += 1
    erasing.join()
    other.db.close()
    assert engine.count(BANK) == 0
    assert done
    assert done[0] > began
    assert written > 2  # In one transaction, none or one would come through.
