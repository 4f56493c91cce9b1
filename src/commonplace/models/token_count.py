"""Counts tokens with the tokenizer of the embedder, without loading its table."""

from functools import cache
from pathlib import Path

from tokenizers import Tokenizer

_FILE = Path(__file__).with_name("embedder-tokenizer.json")


def count(text: str) -> int:
    """How many tokens a text has."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids) if text else 0


@cache
def _tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(_FILE))
    found.no_padding()
    found.no_truncation()
    return found
