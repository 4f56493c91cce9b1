"""The export of ChatGPT.

A conversation is a tree of messages; the branch that ChatGPT shows is imported. ChatGPT saves
memories about its user through the tool `bio`, in any branch: each becomes a memory.
"""

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
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.conversations import (
    ATTACHMENT,
    CONVERSATIONS,
    LEFT_BRANCH,
    NOT_A_MESSAGE,
    Conversation,
    Message,
    conversation_items,
    export_files,
)
from commonplace.records.memory import Draft

SOURCE = "chatgpt"
# Footnote markers, which have a meaning only on the page of ChatGPT.
_FOOTNOTES = re.compile("\ue200[^\ue201]*\ue201|【[^】]{0,80}†[^】]{0,80}】|[\ue200-\ue206]")


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read conversations.json, alone or in the folder or zip of an export; there may be several."""
    for name, file in export_files(context, CONVERSATIONS):
        for one in json_stream.read_values(file):
            if isinstance(one, Skipped):
                yield broken_item(f"{name} {one.location}", one.reason)
            elif not isinstance(object_of(one.value).get("mapping"), dict):
                yield broken_item(f"{name} {one.location}", "it is not a conversation")
            else:
                conversation = _conversation(object_of(one.value))
                yield from conversation_items(conversation, f"{name} {one.location}", SOURCE)
                yield from _saved_memories(
                    object_of(one.value), conversation, f"{name} {one.location}"
                )


def _conversation(given: Object) -> Conversation:
    nodes = {name: object_of(node) for name, node in object_of(given.get("mapping")).items()}
    shown = _shown_branch(nodes, text_of(given.get("current_node")))
    contents = {name: object_of(node.get("message")) for name, node in nodes.items()}
    skipped = [
        reason
        for name, content in contents.items()
        if (reason := _skip_reason(content, is_shown=name in shown))
    ]
    messages: list[Message] = []
    for name in shown:
        content = contents[name]
        if text := _visible_text(content):
            attachments = list_of(object_of(content.get("metadata")).get("attachments"))
            skipped += [ATTACHMENT] * len(attachments)
            messages.append(_message(name, content, text))
    return Conversation(
        text_of(first_of(given, "conversation_id", "id")),
        text_of(given.get("title")),
        tuple(messages),
        tuple(skipped),
        moment_of(given.get("create_time")),
    )


def _skip_reason(content: Object, *, is_shown: bool) -> str:
    """Why a node of a conversation is not imported; "" if it is, or has nothing to import."""
    if not is_shown:
        return LEFT_BRANCH if _visible_text(content) else ""
    if _visible_text(content) or not _has_content(content) or _is_saved_memory(content):
        return ""
    return NOT_A_MESSAGE


def _message(name: str, content: Object, text: str) -> Message:
    is_user = _role(content) == "user"
    model = "" if is_user else text_of(object_of(content.get("metadata")).get("model_slug"))
    return Message(
        text_of(content.get("id")) or name,
        "user" if is_user else SOURCE,
        text,
        moment_of(content.get("create_time")),
        model,
    )


def _saved_memories(
    given: Object, conversation: Conversation, location: str
) -> Iterator[SourceItem]:
    messages = (
        object_of(object_of(node).get("message"))
        for node in object_of(given.get("mapping")).values()
    )
    for message in filter(_is_saved_memory, messages):
        number, text = text_of(message.get("id")), _text(message)
        if conversation.id and number and text:
            draft = Draft(
                text,
                title="What ChatGPT noted",
                tags=(SOURCE,),
                metadata=provenance(SOURCE, number, conversation=conversation.id),
            )
            at = moment_of(message.get("create_time")) or conversation.at
            yield ImportItem(
                f"{location}, a note", ExternalItem(f"{conversation.id}/{number}", draft, at, at)
            )


def _is_saved_memory(message: Object) -> bool:
    return _role(message) == "assistant" and message.get("recipient") == "bio"


def _shown_branch(nodes: dict[str, Object], last: str) -> dict[str, None]:
    """The names of the messages from the first to the last one shown."""
    if last not in nodes:
        parents = {text_of(node.get("parent")) for node in nodes.values()}
        last = next((name for name in reversed(nodes) if name not in parents), "")
    path: list[str] = []
    seen: set[str] = set()
    while last in nodes and last not in seen:
        seen.add(last)
        path.append(last)
        last = text_of(nodes[last].get("parent"))
    return dict.fromkeys(reversed(path))


def _role(message: Object) -> str:
    return text_of(object_of(message.get("author")).get("role"))


def _visible_text(message: Object) -> str:
    """The text that the other side sees; "" for hidden messages and those to tools."""
    hidden = object_of(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if (
        hidden
        or _role(message) not in ("user", "assistant")
        or message.get("recipient", "all") != "all"
    ):
        return ""
    return _text(message)


def _text(message: Object) -> str:
    content = object_of(message.get("content"))
    if content.get("content_type") not in ("text", "multimodal_text"):
        return ""
    pieces = [_part_text(part) for part in list_of(content.get("parts"))]
    return _FOOTNOTES.sub("", "\n\n".join(piece for piece in pieces if piece.strip())).strip()


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    given = object_of(part)
    return text_of(given.get("text")) if given.get("content_type") == "audio_transcription" else ""


def _has_content(message: Object) -> bool:
    content = object_of(message.get("content"))
    return bool(
        first_of(content, "text", "result", "thoughts") or any(list_of(content.get("parts")))
    )
