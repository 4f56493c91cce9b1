"""The export of Claude: conversations, projects with documents and instructions, and memories."""

import re
from collections.abc import Iterator

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers import json_stream
from commonplace.importers.base import (
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
    first_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.conversations import (
    ATTACHMENT,
    CONVERSATIONS,
    NOT_A_MESSAGE,
    Conversation,
    Message,
    conversation_items,
    export_files,
)
from commonplace.records.memory import Draft

SOURCE = "claude"
STARTER = "a document that comes with every account"
PROJECTS = re.compile(r"^(?:.*/)?projects(?:\.json|/[^/]+\.json)")
MEMORIES_FILE = re.compile(r"^(?:.*/)?memories\.json")


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read conversations.json, projects.json and memories.json, alone or in a folder or zip."""
    for pattern, take in (
        (CONVERSATIONS, _conversation),
        (PROJECTS, _project),
        (MEMORIES_FILE, _saved_memories),
    ):
        for name, file in export_files(context, pattern):
            for one in json_stream.read_values(file):
                location = f"{name} {one.location}"
                yield from (
                    [broken_item(location, one.reason)]
                    if isinstance(one, Skipped)
                    else take(object_of(one.value), location)
                )


def _conversation(given: Object, location: str) -> Iterator[SourceItem]:
    if not isinstance(given.get("chat_messages"), list):
        yield broken_item(location, "it is not a conversation")
        return
    said: list[Message] = []
    unsaid: list[str] = []
    for message in map(object_of, list_of(given.get("chat_messages"))):
        text = _message_text(message)
        unsaid += [ATTACHMENT] * (
            len(list_of(message.get("attachments"))) + len(list_of(message.get("files")))
        )
        if not text.strip():
            unsaid += [NOT_A_MESSAGE] if message.get("content") else []
            continue
        speaker = "user" if message.get("sender") in ("human", "user") else SOURCE
        said.append(
            Message(
                text_of(message.get("uuid")), speaker, text, moment_of(message.get("created_at"))
            )
        )
    project = object_of(given.get("project")).get("name")
    yield from conversation_items(
        Conversation(
            text_of(given.get("uuid")),
            text_of(given.get("name")),
            tuple(said),
            tuple(unsaid),
            moment_of(given.get("created_at")),
            text_of(project),
        ),
        location,
        SOURCE,
    )


def _message_text(message: Object) -> str:
    blocks = [object_of(block) for block in list_of(message.get("content"))]
    said = [text_of(block.get("text")) for block in blocks if block.get("type", "text") == "text"]
    return (
        "\n\n".join(one for one in said if one.strip()) if blocks else text_of(message.get("text"))
    )


def _project(given: Object, location: str) -> Iterator[SourceItem]:
    name, number = line_of(given.get("name")), text_of(given.get("uuid"))
    times = moment_of(given.get("created_at")), moment_of(given.get("updated_at"))
    if given.get("is_starter_project"):
        yield Skipped(location, STARTER)
        return
    told = {"instructions": given.get("prompt_template"), "description": given.get("description")}
    for what, value in told.items():
        if text := text_of(value).strip():
            yield _document_item(
                location, f"{number}/{what}", f"{name}: {what}", text, times, project=name
            )
    for document in map(object_of, list_of(given.get("docs"))):
        text, title = text_of(document.get("content")), line_of(document.get("filename"))
        at = moment_of(document.get("created_at")) or times[0]
        if text.strip():
            key = f"{number}/{text_of(first_of(document, 'uuid', 'filename'))}"
            yield _document_item(f"{location}, {title}", key, title, text, (at, at), project=name)


def _saved_memories(given: Object, location: str) -> Iterator[SourceItem]:
    account = text_of(given.get("account_uuid"))
    if text := text_of(given.get("conversations_memory")).strip():
        yield _document_item(location, f"{account}/memory", "What Claude noted", text, (None, None))
    for number, value in object_of(given.get("project_memories")).items():
        text = text_of(value).strip() or text_of(object_of(value).get("memory")).strip()
        if text:
            yield _document_item(
                location, f"{number}/memory", "What Claude noted in a project", text, (None, None)
            )


def _document_item(
    location: str,
    key: str,
    title: str,
    text: str,
    times: tuple[int | None, int | None],
    project: str = "",
) -> ImportItem:
    tags = (SOURCE, *((project,) if project else ()))
    draft = Draft(text, title=title, tags=tags, metadata=provenance(SOURCE, key, project=project))
    return ImportItem(location, ExternalItem(key, draft, *times))
