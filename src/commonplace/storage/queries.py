"""Loads the named queries. `-- name: x` starts a query; `{x}` inside a query is replaced by the
text of that query.

`{list:x}` is replaced by a select of the members, as `value`, of the JSON list bound as `:x`.
"""

import re
from functools import cache
from pathlib import Path

_FILES = Path(__file__).with_name("sql")
_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^[^\S\n]*+--.*$", re.MULTILINE)
_PART = re.compile(r"\{(\w+)\}")
# In some fragments a name ends in `#` or `$`, which is replaced by a number.
_LIST = re.compile(r"\{list:(\w+[#$]?)\}")


@cache
def load_queries() -> dict[str, str]:
    """Every query by its name."""
    texts: dict[str, str] = {}
    for file in sorted(_FILES.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql") and file.name != "schema.sql":
            pieces = _NAME.split(file.read_text(encoding="utf-8"))
            for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
                if name in texts:
                    raise ValueError(f"Two queries are called {name}.")
                # A comment precedes the query that it explains, so the split leaves it at the end
                # of the query before.
                plain = _COMMENT.sub("", text).strip().removesuffix(";")
                texts[name] = _LIST.sub(r"select value from json_each(:\1)", plain)
    return {name: _expand(text, texts) for name, text in texts.items()}


def _expand(text: str, texts: dict[str, str]) -> str:
    return _PART.sub(lambda part: _expand(texts[part[1]], texts), text)
