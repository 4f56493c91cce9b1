"""Exports of ChatGPT and Claude: messages become memories, everything else is skipped."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import clock as times
from commonplace.engine.engine import Engine
from commonplace.importers.conversations import (
    ATTACHMENT,
    LEFT_BRANCH,
    NOT_A_MESSAGE,
    SMALL_TALK,
    is_small_talk,
)
from commonplace.records.memory import Memory, Scope
from commonplace.records.query import Filter, Query
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]
TALK = files.chatgpt(
    "c-1",
    "Staging ports",
    ("user", "Which port does staging use?"),
    ("assistant", "Staging listens on 8080."),
)


def test_a_message_says_who_spoke_when_and_in_which_conversation(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    brought(files.written(tmp_path / "conversations.json", [TALK]))

    question, answer = known()
    assert question.text == "User: Which port does staging use?"
    assert answer.text == "ChatGPT: Staging listens on 8080."
    assert {(one.title, one.kind, one.scope) for one in (question, answer)} == {
        ("Staging ports", "message", Scope(run="c-1"))
    }
    assert answer.tags == ("chatgpt", "conversation")
    assert times.iso(answer.created_at) == "2023-11-14T22:15:00.000Z"
    assert answer.happened_at == answer.created_at
    assert answer.metadata["imported"] == {
        "from": "chatgpt",
        "id": "message-t2",
        "conversation": "c-1",
        "speaker": "chatgpt",
        "model": "gpt-4o",
    }


@pytest.mark.parametrize("form", ["file", "folder", "zip", "zip with a folder", "several files"])
def test_an_export_is_taken_in_every_form(
    tmp_path: Path, brought: Bring, known: Known, form: str
) -> None:
    folder = tmp_path / "export"
    other = files.chatgpt("c-2", "Tea", ("user", "Which tea is best?"))
    match form:
        case "file":
            path = files.written(tmp_path / "conversations.json", [TALK, other])
        case "folder":
            files.written(folder / "conversations.json", [TALK, other])
            files.written(folder / "user.json", {"id": "user"})
            path = folder
        case "zip":
            path = files.zipped(tmp_path / "e.zip", conversations=[TALK, other], user={})
        case "zip with a folder":
            path = files.zipped(tmp_path / "e.zip", **{"export/conversations": [TALK, other]})
        case _:
            path = files.zipped(
                tmp_path / "e.zip", **{"conversations-000": [TALK], "conversations-001": [other]}
            )

    report = brought(path)

    assert (report.source, report.added, len(known())) == ("chatgpt", 3, 3)
    assert brought(path).added == 0


def test_only_the_branch_that_is_shown_there_is_taken(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    talk = files.chatgpt(
        "c-1", "Ports", ("user", "Which port is it?"), ("assistant", "Port 8080 it is.")
    )
    left = files.chatgpt_message("t9", "assistant", "A first answer that was thrown away.")
    talk["mapping"]["t9"] = {"id": "t9", "parent": "t1", "children": [], "message": left}

    report = brought(files.written(tmp_path / "conversations.json", [talk]))

    assert [one.text for one in known()] == ["User: Which port is it?", "ChatGPT: Port 8080 it is."]
    assert dict(report.skipped) == {LEFT_BRANCH: 1}


def test_tools_thinking_and_hidden_settings_were_not_said(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    talk = files.chatgpt(
        "c-1", "Plot", *[("user", "Draw me a plot of it")] * 5, ("assistant", "Here is the plot.")
    )
    nodes = talk["mapping"]
    nodes["t1"]["message"] = files.chatgpt_message(
        "t1", "user", "", content={"content_type": "user_editable_context", "text": "I am a nurse."}
    )
    nodes["t2"]["message"] = files.chatgpt_message(
        "t2", "assistant", "import numpy", recipient="python"
    )
    nodes["t3"]["message"] = files.chatgpt_message("t3", "tool", "[1, 2, 3]")
    hidden = {"is_visually_hidden_from_conversation": True}
    nodes["t4"]["message"] = files.chatgpt_message(
        "t4", "system", "You are ChatGPT", metadata=hidden
    )

    report = brought(files.written(tmp_path / "conversations.json", [talk]))

    assert [one.text for one in known()] == [
        "User: Draw me a plot of it",
        "ChatGPT: Here is the plot.",
    ]
    assert dict(report.skipped) == {NOT_A_MESSAGE: 4}


def test_what_chatgpt_noted_of_its_user_is_a_memory_by_itself(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    talk = files.chatgpt(
        "c-1", "Dinner", ("user", "x"), ("assistant", "x"), ("assistant", "No nuts, then.")
    )
    talk["mapping"]["t1"]["message"] = files.chatgpt_message(
        "t1", "assistant", "User is allergic to nuts.", recipient="bio"
    )
    talk["mapping"]["t2"]["message"] = files.chatgpt_message(
        "t2", "tool", "Model set context updated."
    )
    path = files.written(tmp_path / "conversations.json", [talk])

    report = brought(path)

    assert {(one.kind, one.title, one.text) for one in known()} == {
        ("message", "Dinner", "ChatGPT: No nuts, then."),
        ("note", "What ChatGPT noted", "User is allergic to nuts."),
    }
    assert (dict(report.skipped), brought(path).unchanged) == ({NOT_A_MESSAGE: 1}, 2)


def test_footnote_marks_go_and_spoken_words_in_a_picture_message_stay(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    talk = files.chatgpt(
        "c-1", "Cats", ("user", "x"), ("assistant", "Cats purr\ue200cite\ue202turn0search1\ue201.")
    )
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
        "What is in this picture?",
    ]
    talk["mapping"]["t1"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": parts,
    }

    brought(files.written(tmp_path / "conversations.json", [talk]))

    assert [one.text for one in known()] == [
        "User: What is in this picture?",
        "ChatGPT: Cats purr.",
    ]


@pytest.mark.parametrize(
    "text", ["Thanks!", "ok", "Yes, please.", "go on", "Thank you so much!", "👍"]
)
def test_courtesies_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text", ["Use port 8080", "我叫王芳", "no milk", "yes, in Oslo", "E = mc²" * 8, "ok google"]
)
def test_what_says_something_is_not(text: str) -> None:
    assert not is_small_talk(text)


def test_a_conversation_that_went_on_brings_only_its_new_messages(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = files.written(tmp_path / "conversations.json", [TALK])
    brought(path)
    turns = [
        ("user", "Which port does staging use?"),
        ("assistant", "Staging listens on 8080."),
        ("user", "And TLS?"),
    ]
    files.written(path, [files.chatgpt("c-1", "Staging ports", *turns)])

    report = brought(path)

    assert (report.added, report.unchanged, len(known())) == (1, 2, 3)


def test_claude_brings_conversations_projects_and_what_it_noted(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    talk = files.claude(
        "c-1", "Bread", ("human", "How long must dough rise?"), ("assistant", "Twelve hours.")
    )
    talk["chat_messages"][1]["content"].insert(0, {"type": "thinking", "thinking": "Let me think"})
    talk["chat_messages"][0]["attachments"] = [
        {"file_name": "dough.pdf", "extracted_content": "..."}
    ]
    talk["chat_messages"].append(
        {"uuid": "x", "sender": "assistant", "content": [{"type": "tool_use", "name": "t"}]}
    )
    project = {
        "uuid": "p-1",
        "name": "Bakery",
        "prompt_template": "Answer in grams.",
        "description": "",
    } | {
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-02T00:00:00Z",
        "docs": [
            {
                "uuid": "d-1",
                "filename": "flour.md",
                "content": "Rye 1150",
                "created_at": "2026-01-01T00:00:00Z",
            }
        ],
    }
    noted = [
        {"conversations_memory": "Bakes on Sundays.", "project_memories": {"p-1": "Uses rye."}}
        | {"account_uuid": "a"}
    ]
    path = files.zipped(
        tmp_path / "data.zip", conversations=[talk], projects=[project], memories=noted, users=[]
    )

    report = brought(path)

    assert report.source == "claude"
    assert [(one.kind, one.title, one.text) for one in known()] == [
        ("message", "Bread", "User: How long must dough rise?"),
        ("message", "Bread", "Claude: Twelve hours."),
        ("note", "Bakery: instructions", "Answer in grams."),
        ("note", "flour.md", "Rye 1150"),
        ("note", "What Claude noted", "Bakes on Sundays."),
        ("note", "What Claude noted in a project", "Uses rye."),
    ]
    assert dict(report.skipped) == {NOT_A_MESSAGE: 1, ATTACHMENT: 1}
    assert brought(path).unchanged == 6


def test_a_broken_conversation_is_named_and_the_next_one_taken(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    other = files.chatgpt("c-2", "Tea", ("user", "Which tea is best?"))
    text = (
        f'[{json.dumps(TALK)}, {{"title": oops}}, {{"mapping": 3}}, {json.dumps(other)}, {{"title":'
        ' "cut off'
    )

    report = brought(files.written(tmp_path / "conversations.json", text))

    assert len(known()) == 3
    assert [(one.location, one.reason) for one in report.broken] == [
        ("conversations.json item 2", "it is not JSON"),
        ("conversations.json item 3", "it is not a conversation"),
        ("conversations.json item 5", "the file ends in the middle of it"),
    ]


def test_messages_are_found_by_what_was_said_and_stay_apart_by_conversation(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    other = files.chatgpt("c-2", "Tea", ("user", "Which tea is best with honey?"))
    brought(files.written(tmp_path / "conversations.json", [TALK, other]))

    assert engine.recall("default", Query("tea with honey")).hits[0].memory.title == "Tea"
    assert engine.count("default", Filter(runs=("c-1",))) == 2
    assert SMALL_TALK not in dict(brought(tmp_path / "conversations.json").skipped)
