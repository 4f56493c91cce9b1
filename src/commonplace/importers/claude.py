"""The export of Claude: conversations, projects with their documents and instructions, and what
Claude noted.
"""

import re
from collections.abc import Iterator

from commonplace.engine.operations.external_import import Foreign
from commonplace.importers import json_stream
from commonplace.importers.base import (
    Object,
    Place,
    Read,
    Skipped,
    Thing,
    broken,
    first_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.conversations import (
    ATTACHED,
    CONVERSATIONS,
    UNSPOKEN,
    Message,
    Talk,
    exported,
    things,
)
from commonplace.records.memory import Draft

SOURCE = "claude"
STARTER = "a document that comes with every account"
PROJECTS = re.compile(r"^(?:.*/)?projects(?:\.json|/[^/]+\.json)")
NOTED = re.compile(r"^(?:.*/)?memories\.json")


def read(place: Place) -> Iterator[Read]:
    """conversations.json, projects.json or memories.json by themselves, in a folder, or in the
    zip.
    """
    for pattern, take in ((CONVERSATIONS, _conversation), (PROJECTS, _project), (NOTED, _noted)):
        for name, file in exported(place, pattern):
            for one in json_stream.values(file):
                where = f"{name} {one.where}"
                yield from (
                    [broken(where, one.why)]
                    if isinstance(one, Skipped)
                    else take(object_of(one.value), where)
                )


def _conversation(given: Object, where: str) -> Iterator[Read]:
    if not isinstance(given.get("chat_messages"), list):
        yield broken(where, "it is not a conversation")
        return
    said: list[Message] = []
    unsaid: list[str] = []
    for message in map(object_of, list_of(given.get("chat_messages"))):
        text = _said(message)
        unsaid += [ATTACHED] * (
            len(list_of(message.get("attachments"))) + len(list_of(message.get("files")))
        )
        if not text.strip():
            unsaid += [UNSPOKEN] if message.get("content") else []
            continue
        speaker = "user" if message.get("sender") in ("human", "user") else SOURCE
        said.append(
            Message(
                text_of(message.get("uuid")), speaker, text, moment_of(message.get("created_at"))
            )
        )
    project = object_of(given.get("project")).get("name")
    yield from things(
        Talk(
            text_of(given.get("uuid")),
            text_of(given.get("name")),
            tuple(said),
            tuple(unsaid),
            moment_of(given.get("created_at")),
            text_of(project),
        ),
        where,
        SOURCE,
    )


def _said(message: Object) -> str:
    blocks = [object_of(block) for block in list_of(message.get("content"))]
    said = [text_of(block.get("text")) for block in blocks if block.get("type", "text") == "text"]
    return (
        "\n\n".join(one for one in said if one.strip()) if blocks else text_of(message.get("text"))
    )


def _project(given: Object, where: str) -> Iterator[Read]:
    name, number = line_of(given.get("name")), text_of(given.get("uuid"))
    times = moment_of(given.get("created_at")), moment_of(given.get("updated_at"))
    if given.get("is_starter_project"):
        yield Skipped(where, STARTER)
        return
    told = {"instructions": given.get("prompt_template"), "description": given.get("description")}
    for what, value in told.items():
        if text := text_of(value).strip():
            yield _note(where, f"{number}/{what}", f"{name}: {what}", text, times, project=name)
    for document in map(object_of, list_of(given.get("docs"))):
        text, title = text_of(document.get("content")), line_of(document.get("filename"))
        at = moment_of(document.get("created_at")) or times[0]
        if text.strip():
            key = f"{number}/{text_of(first_of(document, 'uuid', 'filename'))}"
            yield _note(f"{where}, {title}", key, title, text, (at, at), project=name)


def _noted(given: Object, where: str) -> Iterator[Read]:
    account = text_of(given.get("account_uuid"))
    if text := text_of(given.get("conversations_memory")).strip():
        yield _note(where, f"{account}/memory", "What Claude noted", text, (None, None))
    for number, value in object_of(given.get("project_memories")).items():
        text = text_of(value).strip() or text_of(object_of(value).get("memory")).strip()
        if text:
            yield _note(
                where, f"{number}/memory", "What Claude noted in a project", text, (None, None)
            )


def _note(
    where: str,
    key: str,
    title: str,
    text: str,
    times: tuple[int | None, int | None],
    project: str = "",
) -> Thing:
    tags = (SOURCE, *((project,) if project else ()))
    draft = Draft(text, title=title, tags=tags, metadata=provenance(SOURCE, key, project=project))
    return Thing(where, Foreign(key, draft, *times))
