"""Cursors: the place where a page ended, as a text that is valid for one list of one bank."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Any, cast

from commonplace.errors import Invalid

_HINT = "Use the `next` of the page before, with the same bank and the same filter."


def pack(place: object, *list_name: object) -> str:
    """The cursor of a place in the list that the other arguments name."""
    whole = json.dumps([_digest([*list_name, place]), place], separators=(",", ":"))
    return urlsafe_b64encode(whole.encode()).decode().rstrip("=")


def unpack(cursor: str, *list_name: object) -> Any:
    """The place of a cursor. A cursor of another list is refused."""
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        whole = json.loads(urlsafe_b64decode(padded))
        digest, place = cast(tuple[Any, Any], whole)
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid("The cursor cannot be read.", hint=_HINT) from error
    if digest != _digest([*list_name, place]):
        raise Invalid("The cursor belongs to another list.", hint=_HINT)
    return place


def _digest(content: list[object]) -> str:
    plain = json.dumps(content, sort_keys=True, default=str)
    return blake2b(plain.encode(), digest_size=9).hexdigest()
