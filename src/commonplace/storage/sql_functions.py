"""SQL functions that SQLite lacks. All of them are deterministic."""

import hashlib
import json
from typing import Any

import apsw

from commonplace import globs


def register(connection: apsw.Connection) -> None:
    """Register the functions with a connection."""
    connection.create_scalar_function("digest", _digest, 1, deterministic=True)
    connection.create_scalar_function("fold", _fold, 1, deterministic=True)
    connection.create_scalar_function("path_matches", _path_matches, 2, deterministic=True)
    connection.create_scalar_function("text_contains", _text_contains, 2, deterministic=True)
    connection.create_scalar_function("text_matches", _text_matches, 2, deterministic=True)
    connection.create_scalar_function("text_like", _text_like, 2, deterministic=True)


def _digest(*values: Any) -> str:
    (text,) = values
    return "sha256:" + hashlib.sha256(str(text).encode()).hexdigest()


def _fold(*values: Any) -> str | None:
    # SQLite's own lower() supports ASCII only.
    (text,) = values
    return None if text is None else str(text).casefold()


def _path_matches(*values: Any) -> bool:
    patterns, path = values
    return patterns != "[]" and globs.path_matches(tuple(json.loads(patterns)), path)


def _text_contains(*values: Any) -> bool:
    pattern, text = values
    return globs.text_contains(pattern, text)


def _text_matches(*values: Any) -> bool:
    pattern, text = values
    return globs.text_matches(pattern, text)


def _text_like(*values: Any) -> bool:
    # SQLite's own LIKE ignores case for ASCII letters only.
    pattern, text = values
    return text is not None and globs.sql_like(pattern, str(text))
