"""Turns conversations into memories: one for each message, except small talk.

A memory has the speaker, the time and the conversation of its message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers import json_stream, zips
from commonplace.importers.base import (
    ImportContext,
    ImportItem,
    Skipped,
    SourceItem,
    broken_item,
    line_of,
    provenance,
)
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Scope

KIND = "message"
LEFT_BRANCH = "in an abandoned branch of the conversation"
NOT_A_MESSAGE = "not a message: tools, thinking, settings"
SMALL_TALK = "small talk"
ATTACHMENT = "an attached file"
CONVERSATIONS = re.compile(r"^(?:.*/)?conversations(?:[-_]\d+)?\.json")
_SMALL_TALK_WORDS = frozenset(
    "ok okay k yes no yep nope yeah sure thanks thank you thx ty continue go on next great good"
    " nice cool perfect awesome hi hello hey there please done stop right correct exactly got it"
    " makes sense sounds very so much again more welcome you're your're glad helped bye"
    " goodbye".split()
)
_SMALL_WORDS_MAX = 5
_SPEAKERS = {"user": "User", "chatgpt": "ChatGPT", "claude": "Claude"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `speaker` is the user or the product."""

    id: str
    speaker: str
    text: str
    at: int | None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, and a reason for each part of it that is not a message."""

    id: str
    title: str
    messages: tuple[Message, ...]
    skipped_reasons: tuple[str, ...] = ()
    at: int | None = None
    project: str = ""


def conversation_items(
    conversation: Conversation, location: str, source: str
) -> Iterator[SourceItem]:
    """The items of a conversation: its messages, and what is skipped."""
    title = line_of(conversation.title) or "Untitled conversation"
    if not conversation.id:
        yield broken_item(location, "it has no id")
        return
    tags = (
        source,
        "conversation",
        *((line_of(conversation.project, NAME_CHARS_MAX),) if conversation.project.strip() else ()),
    )
    for why in conversation.skipped_reasons:
        yield Skipped(location, why)
    for number, message in enumerate(conversation.messages, start=1):
        if is_small_talk(message.text):
            yield Skipped(f"{location}, message {number}", SMALL_TALK)
            continue
        more = {"conversation": conversation.id, "speaker": message.speaker, "model": message.model}
        draft = Draft(
            f"{_SPEAKERS.get(message.speaker, message.speaker)}: {message.text.strip()}",
            title=title,
            kind=KIND,
            tags=tags,
            metadata=provenance(source, message.id, **more),
            category=line_of(title, NAME_CHARS_MAX),
            happened_at=message.at or conversation.at,
            scope=Scope(run=conversation.id),
        )
        key, at = f"{conversation.id}/{message.id or number}", message.at or conversation.at
        yield ImportItem(
            f"{location}, message {number} of {title!r}", ExternalItem(key, draft, at, at)
        )


def is_small_talk(text: str) -> bool:
    """Whether a message is only a courtesy or a prompt to continue."""
    words = re.findall(r"[\w']+", text.casefold().replace("’", "'"))
    # A longer message without words may be a formula.
    return (
        len(words) <= _SMALL_WORDS_MAX
        and all(word in _SMALL_TALK_WORDS for word in words)
        and len(text.strip()) < 40
    )


def export_files(
    context: ImportContext, pattern: re.Pattern[str]
) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an export whose path matches: in a folder, in a zip, or the file itself."""
    path = context.path
    if path.is_dir():
        fitting = (
            one
            for one in path.rglob("*.json")
            if pattern.fullmatch(one.relative_to(path).as_posix())
        )
        for found in sorted(fitting):
            with json_stream.open_file(found, context.progress) as file:
                yield found.relative_to(path).as_posix(), file
    elif zips.is_zip(path):
        with zips.open_archive(path) as archive:
            for name in sorted(one for one in archive.namelist() if pattern.fullmatch(one)):
                with json_stream.open_member(archive, name, context.progress) as file:
                    yield name, file
    elif pattern.fullmatch(path.name):
        with json_stream.open_file(path, context.progress) as file:
            yield path.name, file
