"""The responses of the vault dialect: notes, cursors, bundles and errors."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from commonplace import clock, ids, lazy
from commonplace.dialects.dialect import Reply, Tool, as_json
from commonplace.dialects.replaced import replaced_field
from commonplace.errors import CommonplaceError, Invalid
from commonplace.records.memory import Memory
from commonplace.records.query import Cursor, Hit

if TYPE_CHECKING:
    from commonplace.vault import vault
else:
    vault = lazy.module("commonplace.vault.vault")

_TYPES = {
    400: "invalid",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    503: "busy",
}
_MAC_BYTES = 12
_SCORE_ONE = 10_000  # Scores have four digits.
_CUT = "\n\n[…]\n"
_TOKEN_BYTES = 3
_BACKLINKS_MAX = 10


def entry(hit: Hit, backlinks: Sequence[str] = ()) -> dict[str, Any]:
    """A hit, with the path of its file and of some notes that link to it."""
    memory = hit.memory
    path = vault.path_of(memory)
    return {
        "id": ids.note_form(memory.id),
        "title": vault.title_of(memory),
        **({"path": path} if path else {}),
        "body": memory.text,
        "score": hit.score,
        "tags": list(memory.tags),
        "status": status(memory),
        "created_at": clock.iso(memory.created_at),
        "updated_at": clock.iso(memory.updated_at),
        **replaced_field(hit.replacement, lambda newer: ids.note_form(newer.id)),
        **({"backlinks": list(backlinks[:_BACKLINKS_MAX])} if backlinks else {}),
    }


def append_response(memory: Memory) -> dict[str, Any]:
    """The response for a new note, or for the note that already has the key."""
    return {
        "id": ids.note_form(memory.id),
        "title": vault.title_of(memory),
        "status": status(memory),
        "created_at": clock.iso(memory.created_at),
    }


def status(memory: Memory) -> str:
    """Whether a note is active or deleted."""
    return "active" if memory.forgotten_at is None else "deleted"


def cursor(question: str, place: Cursor) -> str:
    """The position of the next page, as text."""
    head = [
        number
        for memory_id, score in place.head
        for number in (memory_id, round(score * _SCORE_ONE))
    ]
    numbers = [round(place.score * _SCORE_ONE), place.memory_id, place.row_count, place.term_count]
    numbers += [int(place.identified), place.ahead, len(place.head), *head, *place.term_counts]
    payload = json.dumps(numbers, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_mac(question, payload) + payload).decode().rstrip("=")


def parse_cursor(question: str, text: str) -> Cursor:
    """The position in a cursor. Raises Invalid for a changed cursor or one of another question."""
    try:
        whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        mac, payload = whole[:_MAC_BYTES], whole[_MAC_BYTES:]
        # Other texts decode to the same bytes; only the issued one is valid.
        same = base64.urlsafe_b64encode(whole).decode().rstrip("=") == text
        if same and hmac.compare_digest(mac, _mac(question, payload)):
            score, number, rows, terms, identified, ahead, size, *rest = (
                abs(int(one)) for one in json.loads(payload)
            )
            scores = [one / _SCORE_ONE for one in rest[1 : 2 * size : 2]]
            head = tuple(zip(rest[: 2 * size : 2], scores, strict=True))
            counts = tuple(rest[2 * size :])
            return Cursor(
                score / _SCORE_ONE, number, counts, rows, terms, bool(identified), head, ahead
            )
    except (ValueError, TypeError):
        pass
    hint = "Repeat the search without one, and use its next_cursor."
    raise Invalid("The cursor does not belong to this search.", hint=hint)


def tokens(text: str) -> int:
    """The estimated tokens of a text: a third of its bytes, more than most models count."""
    return _token_count(len(text.encode()))


def bundle(found: Sequence[Memory], budget: int) -> str:
    """The first notes that fit; if the first one alone is too long, its beginning."""
    kept, size = list[str](), 0
    for memory in found:
        section = _section(memory)
        size += len(section.encode())
        if _token_count(size) > budget:
            break
        kept.append(section)
    return "".join(kept) if kept or not found else _shorten(_section(found[0]), budget)


def failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The error response, with an HTTP status as a field and in the text."""
    message = f"{error.message} {error.hint}".strip()
    answer = {
        "error": {
            "code": error.status,
            "type": _TYPES.get(error.status, "failed"),
            "message": message,
        }
    }
    return Reply(answer, as_json(answer), is_error=True)


def _section(memory: Memory) -> str:
    path = f", in {vault.path_of(memory)}" if vault.path_of(memory) else ""
    tags = f", tagged {', '.join(memory.tags)}" if memory.tags else ""
    described = f"_{ids.note_form(memory.id)}{path}{tags}_"
    return f"## {vault.title_of(memory)}\n\n{described}\n\n{memory.text.rstrip()}\n\n"


def _shorten(section: str, budget: int) -> str:
    """The beginning of a section that fits: whole lines, or words of a long line; never part of a
    title.
    """
    room = budget * _TOKEN_BYTES - len(_CUT.encode())
    kept = section.encode()[: max(0, room)].decode(errors="ignore")
    if "\n" not in kept:
        return ""
    ends = (kept.rfind("\n"), kept.rfind(" "), len(kept))
    return kept[: next(end for end in ends if end >= len(kept) / 2)].rstrip() + _CUT


def _token_count(byte_count: int) -> int:
    return -(-byte_count // _TOKEN_BYTES)


def _mac(question: str, payload: bytes) -> bytes:
    return hmac.new(question.encode(), payload, hashlib.sha256).digest()[:_MAC_BYTES]
