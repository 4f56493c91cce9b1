"""What Hindsight makes of texts as people and agents write them, without a model, with many banks
and with one.
"""

from typing import Any

import pytest

from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

SAID = "2026-03-10T10:00:00Z"  # A Tuesday.
MINUTES = """# Standup

Attendees: Maria Lopez, Tom Becker

## Backend
- Tom finished the migration to PostgreSQL 16 yesterday.
- Tom is on leave between 2026-03-16 and 2026-03-20.

## Decisions
- Release 2.4 moves from March 17 to March 24.
- The rollout will be finished on Friday.
"""
DECISION = """Status: accepted

Context
Edge devices lose power without notice.

Decision
We will use SQLite.
"""
CHAT = """alice [09:02]: prod is throwing 502s again
bob [09:06]: since the 08:40 deploy of api-gateway 3.12.0
bob [09:15]: Errors gone. The pool size was 5 instead of 50.
alice [09:16]: thanks! I'll write the postmortem by Friday
"""
EMAIL = """Hi Peter,

thanks for your patience. Legal signed off on the renewal this morning. \
We need your signed copy by July 25.

Best regards,
Hannah
"""
PROFILE = (
    "The user's name is Elena Petrova. She's a data engineer at Zalando. She prefers concise"
    " answers. Previously she worked at SAP. Her husband is Jan. She plays chess."
)
BOOK = 'Finished "The Dispossessed" by Ursula K. Le Guin on Sunday. Recommended it to Ben.'


@requirement("hindsight:retain:facts")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            DECISION,
            ["Status: accepted", "Edge devices lose power without notice.", "We will use SQLite."],
        ),
        (
            CHAT,
            [
                "alice [09:02]: prod is throwing 502s again",
                "bob [09:06]: since the 08:40 deploy of api-gateway 3.12.0",
                "bob [09:15]: Errors gone.",
                "bob [09:15]: The pool size was 5 instead of 50.",
                "alice [09:16]: I'll write the postmortem by Friday",
            ],
        ),
        (
            EMAIL,
            [
                "Legal signed off on the renewal this morning.",
                "We need your signed copy by July 25.",
            ],
        ),
        (
            PROFILE,
            [
                "The user's name is Elena Petrova.",
                "Elena Petrova is a data engineer at Zalando.",
                "Elena Petrova prefers concise answers.",
                "Previously Elena Petrova worked at SAP.",
                "Elena Petrova's husband is Jan.",
                "Elena Petrova plays chess.",
            ],
        ),
        (
            BOOK,
            [
                'Finished "The Dispossessed" by Ursula K. Le Guin on Sunday.',
                "Recommended it to Ben.",
            ],
        ),
        (
            "| Name | Role |\n|---|---|\n| Ada | CTO |\n| Bob | CFO |",
            ["Name: Ada; Role: CTO", "Name: Bob; Role: CFO"],
        ),
        ("Ann left.\n\n---\n\n> Ben stayed.", ["Ann left.", "Ben stayed."]),
        (
            (
                '{"messages": [{"role": "user", "content": [{"type": "text", "text": "My dog is'
                ' Rex."}]}]}'
            ),
            ["My dog is Rex."],
        ),
        (
            "buy milk\ncall the plumber\nbook a table for two",
            ["buy milk", "call the plumber", "book a table for two"],
        ),
    ],
    ids=[
        "decision",
        "chat",
        "email",
        "profile",
        "book",
        "table",
        "rule and quotation",
        "parts",
        "list",
    ],
)
def test_notes_become_the_statements_that_a_reader_sees_in_them(
    hindsight: Hindsight, text: str, said: list[str]
) -> None:
    ids = hindsight.sync_retain(text, timestamp=SAID)
    assert [hindsight("get_memory", memory_id=one)["text"] for one in ids] == said


@requirement("hindsight:retain:dates")
def test_minutes_are_dated_by_what_they_say(hindsight: Hindsight) -> None:
    found = [
        hindsight("get_memory", memory_id=one)
        for one in hindsight.sync_retain(MINUTES, timestamp=SAID)
    ]
    dated = {one["text"].partition(" ")[2]: _days(one) for one in found if "occurred_start" in one}
    assert dated == {
        "Tom finished the migration to PostgreSQL 16 yesterday.": ("2026-03-09", "2026-03-09"),
        "Tom is on leave between 2026-03-16 and 2026-03-20.": ("2026-03-16", "2026-03-20"),
        "Release 2.4 moves from March 17 to March 24.": ("2026-03-24", "2026-03-24"),
        "The rollout will be finished on Friday.": ("2026-03-13", "2026-03-13"),
    }


@requirement(
    "hindsight:retain:replace",
    "hindsight:retain:timestamp",
    "hindsight:retain:metadata",
    "hindsight:retain:context",
)
def test_a_document_told_again_corrects_when_and_as_what_it_was_meant(hindsight: Hindsight) -> None:
    text = "Ann saw a film yesterday."
    [number] = hindsight.sync_retain(text, document_id="d", metadata={"source": "mail"})
    corrected = {"timestamp": SAID, "context": "films"}
    assert hindsight.sync_retain(text, document_id="d", **corrected) == [number]
    film = hindsight("get_memory", memory_id=number)
    assert (_days(film), film["context"], film["metadata"]) == (
        ("2026-03-09",) * 2,
        "films",
        {"source": "mail"},
    )
    assert film["mentioned_at"] == "2026-03-10T10:00:00.000Z"
    assert hindsight.sync_retain(text, document_id="d", **corrected) == []
    assert hindsight.sync_retain(
        text, document_id="d", metadata={"source": "chat"}, **corrected
    ) == [number]
    assert hindsight("get_memory", memory_id=number)["metadata"] == {"source": "chat"}
    # What is added later was said later, and moves nothing that stands.
    hindsight(
        "retain",
        content="Ann saw a play.",
        document_id="d",
        timestamp="2026-05-01",
        update_mode="append",
    )
    assert hindsight("get_memory", memory_id=number)["mentioned_at"] == "2026-03-10T10:00:00.000Z"


@requirement("hindsight:observations:grouped")
def test_what_stands_under_a_heading_is_gathered_by_what_it_is_about(hindsight: Hindsight) -> None:
    hindsight.sync_retain(MINUTES, timestamp=SAID)
    hindsight.sync_retain("Tom has left the company.", timestamp="2026-11-01T00:00:00Z")
    assert [one["text"] for one in hindsight("list_memories", type="observation")["items"]] == [
        "Tom has left the company. Backend: Tom is on leave between 2026-03-16 and 2026-03-20. "
        "Backend: Tom finished the migration to PostgreSQL 16 yesterday."
    ]


@requirement("hindsight:observations:grouped", "hindsight:recall:newest")
def test_what_a_label_says_of_its_own_text_is_not_taken_for_another_texts(
    hindsight: Hindsight,
) -> None:
    hindsight.sync_retain("Deploy guide\n\nOwner: Nadia", timestamp=SAID)
    hindsight.sync_retain("Style guide\n\nOwner: Emil", timestamp="2026-05-01T00:00:00Z")
    assert hindsight("list_memories", type="observation")["items"] == []
    assert "contradicted" not in hindsight("reflect", query="Who is the owner?")["text"]


@requirement("hindsight:retain:dates")
def test_what_has_been_since_then_does_not_date_what_was_decided(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain(
        "The board, which has met since January, decided on March 3 to sell.", timestamp=SAID
    )
    assert _days(hindsight("get_memory", memory_id=number)) == ("2026-03-03", "2026-03-03")


@requirement("hindsight:retain:entities")
def test_a_word_that_only_begins_a_note_is_no_entity(hindsight: Hindsight) -> None:
    for text, names in (
        ("Backups are a file copy.", []),
        ("Workaround by Iain M. Banks on Sept 12, the 24th try.", ["Iain M. Banks"]),
        ("Maria met Jan in Oslo.", ["Maria", "Jan", "Oslo"]),
        ("New York is cold.", ["New York"]),
    ):
        [number] = hindsight.sync_retain(text)
        assert hindsight("get_memory", memory_id=number)["entities"] == names, text


@requirement("hindsight:reflect:grounded")
def test_an_answer_is_dated_no_more_exactly_than_what_was_said(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "Vera moved to Bonn in January. Vera worked at SAP from 2018 to 2022. Vera was ill last"
        " week.",
        timestamp=SAID,
    )
    text = hindsight("reflect", query="What is known about Vera?")["text"]
    assert "Vera moved to Bonn in January. (2026-01) [" in text
    assert "Vera worked at SAP from 2018 to 2022. (2018 to 2022) [" in text
    assert "Vera was ill last week. (2026-03-02 to 2026-03-08) [" in text


@requirement("hindsight:reflect:synthesis")
def test_what_answers_best_is_told_first_also_where_its_words_do_not_tell_what_it_is_about(
    hindsight: Hindsight,
) -> None:
    hindsight.sync_retain(
        "Release plan for the spring: nobody objects. The release team has four people.",
        timestamp=SAID,
    )
    [number] = hindsight.sync_retain("Decisions: ship release 2.4 on March 24.", timestamp=SAID)
    text = hindsight("reflect", query="When do we ship release 2.4?", budget="mid")["text"]
    assert text.startswith(
        f"Known:\n- Decisions: ship release 2.4 on March 24. (2026-03-24) [{number}]\n\nRelease"
    )


@requirement("hindsight:reflect:grounded", "hindsight:recall:newest")
def test_an_answer_knows_what_has_changed_since_in_whichever_words(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "I live in Paris. I no longer drink coffee. Atlas uses PostgreSQL 15.", timestamp=SAID
    )
    hindsight.sync_retain(
        "I moved to Berlin last month. I drink coffee again. Atlas uses PostgreSQL 16.",
        timestamp="2026-07-10",
    )
    for question, now, before in (
        ("Where do I live?", "I moved to Berlin last month.", "I live in Paris."),
        ("Do I drink coffee?", "I drink coffee again.", "I no longer drink coffee."),
        (
            "Which PostgreSQL does Atlas use?",
            "Atlas uses PostgreSQL 16.",
            "Atlas uses PostgreSQL 15.",
        ),
    ):
        lines = hindsight("reflect", query=question)["text"].splitlines()
        assert lines[1].startswith(f"- {now}"), question
        assert lines[2].startswith("- Earlier, and contradicted by ["), question
        assert before in lines[2], question
    assert (
        hindsight.found("Where do I live?", types=["world", "experience"])[0]
        == "I moved to Berlin last month."
    )


@requirement("hindsight:reflect:schema")
def test_a_schema_is_never_filled_with_what_is_known_of_somebody_else(hindsight: Hindsight) -> None:
    hindsight.sync_retain("Dora likes tea.", timestamp=SAID)
    hindsight.sync_retain(
        "Emil likes milk. Emil is 44 years old.", timestamp="2026-05-01T00:00:00Z"
    )
    schema = {
        "type": "object",
        "properties": {"likes": {"type": "string"}, "years": {"type": "integer"}},
    }
    asked = hindsight(
        "reflect",
        query="What does Dora like, and how many years old is she?",
        response_schema=schema,
    )
    assert asked["structured_output"] == {"likes": "tea"}


def _days(memory: dict[str, Any]) -> tuple[str, str]:
    return memory["occurred_start"][:10], memory["occurred_end"][:10]
