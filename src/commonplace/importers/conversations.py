"""Conversations: each message is a memory that says who spoke, when and in which conversation. No
small talk.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from commonplace.engine.operations.external_import import Foreign
from commonplace.importers import json_stream, zips
from commonplace.importers.base import Place, Read, Skipped, Thing, broken, line_of, provenance
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Scope

KIND = "message"
LEFT_BRANCH = "in an abandoned branch of the conversation"
UNSPOKEN = "not a message: tools, thinking, settings"
SMALL_TALK = "small talk"
ATTACHED = "an attached file"
CONVERSATIONS = re.compile(r"^(?:.*/)?conversations(?:[-_]\d+)?\.json")
_SMALL = frozenset(
    "ok okay k yes no yep nope yeah sure thanks thank you thx ty continue go on next great good"
    " nice cool perfect awesome hi hello hey there please done stop right correct exactly got it"
    " makes sense sounds very so much again more welcome you're your're glad helped bye goodbye".split()
)
_SMALL_WORDS_MAX = 5
_SPEAKERS = {"user": "User", "chatgpt": "ChatGPT", "claude": "Claude"}


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said at once; `speaker` is the user or the product."""

    id: str
    speaker: str
    text: str
    at: int | None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, and why some of what is in it is no message, once for each."""

    id: str
    title: str
    messages: tuple[Message, ...]
    unsaid: tuple[str, ...] = ()
    at: int | None = None
    project: str = ""


def things(talk: Talk, where: str, source: str) -> Iterator[Read]:
    """The messages of a conversation as memories, and what is left out of it."""
    title = line_of(talk.title) or "Untitled conversation"
    if not talk.id:
        yield broken(where, "it has no id")
        return
    tags = (
        source,
        "conversation",
        *((line_of(talk.project, NAME_CHARS_MAX),) if talk.project.strip() else ()),
    )
    for why in talk.unsaid:
        yield Skipped(where, why)
    for number, message in enumerate(talk.messages, start=1):
        if is_small_talk(message.text):
            yield Skipped(f"{where}, message {number}", SMALL_TALK)
            continue
        more = {"conversation": talk.id, "speaker": message.speaker, "model": message.model}
        draft = Draft(
            f"{_SPEAKERS.get(message.speaker, message.speaker)}: {message.text.strip()}",
            title=title,
            kind=KIND,
            tags=tags,
            metadata=provenance(source, message.id, **more),
            category=line_of(title, NAME_CHARS_MAX),
            happened_at=message.at or talk.at,
            scope=Scope(run=talk.id),
        )
        key, at = f"{talk.id}/{message.id or number}", message.at or talk.at
        yield Thing(f"{where}, message {number} of {title!r}", Foreign(key, draft, at, at))


def is_small_talk(text: str) -> bool:
    """Whether a message is nothing but a courtesy or a push to go on."""
    words = re.findall(r"[\w']+", text.casefold().replace("’", "'"))
    # A message without any word may still be a formula or a sign worth keeping, but hardly a short
    # one.
    return (
        len(words) <= _SMALL_WORDS_MAX
        and all(word in _SMALL for word in words)
        and len(text.strip()) < 40
    )


def exported(place: Place, pattern: re.Pattern[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an export whose path fits: in a folder, in a zip, or the file that was named."""
    path = place.path
    if path.is_dir():
        fitting = (
            one
            for one in path.rglob("*.json")
            if pattern.fullmatch(one.relative_to(path).as_posix())
        )
        for found in sorted(fitting):
            with json_stream.opened(found, place.progress) as file:
                yield found.relative_to(path).as_posix(), file
    elif zips.is_zip(path):
        with zips.archive(path) as archive:
            for name in sorted(one for one in archive.namelist() if pattern.fullmatch(one)):
                with json_stream.member(archive, name, place.progress) as file:
                    yield name, file
    elif pattern.fullmatch(path.name):
        with json_stream.opened(path, place.progress) as file:
            yield path.name, file
