"""What the vault dialect answers: notes, cursors, bundles and failures."""

import base64
import binascii
import hashlib
import hmac
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from commonplace import clock, ids
from commonplace.dialects.table import Reply, Tool, as_json
from commonplace.errors import CommonplaceError, Invalid
from commonplace.records import Hit, Memory
from commonplace.vault.place import title_of

_TYPES = {400: "invalid", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 503: "busy"}
_CURSOR_CHARS_MAX = 20_000
_MAC_BYTES = 12
_CUT = "\n\n[…]\n"


def entry(hit: Hit) -> dict[str, Any]:
    """A hit."""
    memory = hit.memory
    return {
        "id": ids.note(memory.id),
        "title": title_of(memory),
        "body": memory.text,
        "score": hit.score,
        "tags": list(memory.tags),
        "status": status(memory),
        "created_at": clock.iso(memory.created_at),
        "updated_at": clock.iso(memory.updated_at),
    }


def appended(memory: Memory) -> dict[str, Any]:
    """A note that was just kept, or was kept before under the same key."""
    return {
        "id": ids.note(memory.id),
        "title": title_of(memory),
        "status": status(memory),
        "created_at": clock.iso(memory.created_at),
    }


def status(memory: Memory) -> str:
    """Whether a note is there for everybody."""
    return "active" if memory.forgotten_at is None else "deleted"


def cursor(question: str, given: Sequence[int]) -> str:
    """Where the next page begins: after the notes that were given out for a question already."""
    told = zlib.compress(json.dumps(list(given), separators=(",", ":")).encode(), 9)
    return base64.urlsafe_b64encode(_mac(question, told) + told).decode().rstrip("=")


def after(question: str, text: str) -> tuple[int, ...]:
    """The notes that were given out before a cursor. One of another question, or a changed one, is refused."""
    try:
        whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        mac, told = whole[:_MAC_BYTES], whole[_MAC_BYTES:]
        sound = len(text) <= _CURSOR_CHARS_MAX and hmac.compare_digest(mac, _mac(question, told))
        # Some texts decode to the same bytes as the one that was given out; they are not it.
        if sound and base64.urlsafe_b64encode(whole).decode().rstrip("=") == text:
            return tuple(cast("list[int]", json.loads(zlib.decompress(told))))
    except (ValueError, binascii.Error, zlib.error):
        pass
    raise Invalid(
        "The cursor does not belong to this search.", hint="Repeat the search without one, and use its next_cursor."
    )


def tokens(text: str) -> int:
    """How many tokens a text is taken for: a third of its bytes, which is more than models make of most texts."""
    return -(-len(text.encode()) // 3)


def bundle(found: Sequence[Memory], budget: int) -> str:
    """As many notes as fit, from the first on; of a first one that alone is too long, its first lines."""
    kept = ""
    for memory in found:
        longer = kept + _section(memory)
        if tokens(longer) > budget:
            break
        kept = longer
    return kept if kept or not found else _shortened(_section(found[0]), budget)


def failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """A failure with the number of its HTTP status where a program finds it, in the text as well."""
    message = f"{error.message} {error.hint}".strip()
    told = {"error": {"code": error.status, "type": _TYPES.get(error.status, "failed"), "message": message}}
    return Reply(told, as_json(told), is_error=True)


def _section(memory: Memory) -> str:
    tags = f", tagged {', '.join(memory.tags)}" if memory.tags else ""
    return f"## {title_of(memory)}\n\n_{ids.note(memory.id)}{tags}_\n\n{memory.text.rstrip()}\n\n"


def _shortened(section: str, budget: int) -> str:
    lines = section.splitlines(keepends=True)
    while lines and tokens("".join(lines).rstrip() + _CUT) > budget:
        lines.pop()
    return "".join(lines).rstrip() + _CUT if lines else ""


def _mac(question: str, told: bytes) -> bytes:
    return hmac.new(question.encode(), told, hashlib.sha256).digest()[:_MAC_BYTES]
