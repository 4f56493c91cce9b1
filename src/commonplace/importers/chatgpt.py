"""The export of ChatGPT. A conversation is a tree of messages; the branch that is shown there is
the one taken.

What ChatGPT noted of its user it told a tool called bio, wherever in the tree: each note is a
memory by itself.
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
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.conversations import (
    ATTACHED,
    CONVERSATIONS,
    LEFT_BRANCH,
    UNSPOKEN,
    Message,
    Talk,
    exported,
    things,
)
from commonplace.records.memory import Draft

SOURCE = "chatgpt"
# Marks that the page makes into footnotes; to anybody else they are noise.
_FOOTNOTES = re.compile("\ue200[^\ue201]*\ue201|【[^】]{0,80}†[^】]{0,80}】|[\ue200-\ue206]")


def read(place: Place) -> Iterator[Read]:
    """conversations.json by itself, in the folder of an export, or in its zip; large exports have
    several.
    """
    for name, file in exported(place, CONVERSATIONS):
        for one in json_stream.values(file):
            if isinstance(one, Skipped):
                yield broken(f"{name} {one.where}", one.why)
            elif not isinstance(object_of(one.value).get("mapping"), dict):
                yield broken(f"{name} {one.where}", "it is not a conversation")
            else:
                talk = _talk(object_of(one.value))
                yield from things(talk, f"{name} {one.where}", SOURCE)
                yield from _noted(object_of(one.value), talk, f"{name} {one.where}")


def _talk(given: Object) -> Talk:
    nodes = {name: object_of(node) for name, node in object_of(given.get("mapping")).items()}
    shown = _branch(nodes, text_of(given.get("current_node")))
    said: list[Message] = []
    unsaid: list[str] = []
    for name, node in nodes.items():
        message = object_of(node.get("message"))
        if not message:
            continue
        if name not in shown and _said(message):
            unsaid.append(LEFT_BRANCH)
        elif (
            name in shown and not _said(message) and _has_content(message) and not _is_note(message)
        ):
            unsaid.append(UNSPOKEN)
    for name in shown:
        message = object_of(nodes[name].get("message"))
        if message and (text := _said(message)):
            unsaid += [ATTACHED] * len(
                list_of(object_of(message.get("metadata")).get("attachments"))
            )
            speaker = "user" if _role(message) == "user" else SOURCE
            model = (
                text_of(object_of(message.get("metadata")).get("model_slug"))
                if speaker == SOURCE
                else ""
            )
            said.append(
                Message(
                    text_of(message.get("id")) or name,
                    speaker,
                    text,
                    moment_of(message.get("create_time")),
                    model,
                )
            )
    return Talk(
        text_of(first_of(given, "conversation_id", "id")),
        text_of(given.get("title")),
        tuple(said),
        tuple(unsaid),
        moment_of(given.get("create_time")),
    )


def _noted(given: Object, talk: Talk, where: str) -> Iterator[Read]:
    messages = (
        object_of(object_of(node).get("message"))
        for node in object_of(given.get("mapping")).values()
    )
    for message in filter(_is_note, messages):
        number, text = text_of(message.get("id")), _text(message)
        if talk.id and number and text:
            draft = Draft(
                text,
                title="What ChatGPT noted",
                tags=(SOURCE,),
                metadata=provenance(SOURCE, number, conversation=talk.id),
            )
            at = moment_of(message.get("create_time")) or talk.at
            yield Thing(f"{where}, a note", Foreign(f"{talk.id}/{number}", draft, at, at))


def _is_note(message: Object) -> bool:
    return _role(message) == "assistant" and message.get("recipient") == "bio"


def _branch(nodes: dict[str, Object], last: str) -> dict[str, None]:
    """The names of the messages from the first to the one that is shown last."""
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


def _said(message: Object) -> str:
    """What a message says to the other side; nothing where it is for a tool or not shown."""
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
    pieces = [_piece(part) for part in list_of(content.get("parts"))]
    return _FOOTNOTES.sub("", "\n\n".join(piece for piece in pieces if piece.strip())).strip()


def _piece(part: object) -> str:
    if isinstance(part, str):
        return part
    given = object_of(part)
    return text_of(given.get("text")) if given.get("content_type") == "audio_transcription" else ""


def _has_content(message: Object) -> bool:
    content = object_of(message.get("content"))
    return bool(
        first_of(content, "text", "result", "thoughts") or any(list_of(content.get("parts")))
    )
