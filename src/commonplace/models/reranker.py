"""The reranker: a small network that reads a question and a text together and says how well the one
answers the other.

It was also taught to tell whether a newer text has replaced an older one. It comes with this
package: six layers, made from those of ms-marco-MiniLM-L-12-v2 (Apache-2.0) and taught with
invented memories and questions. `evals/reader` holds what it was made with, NOTICE says where it
comes from.
"""

import os
import re
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Regex, Tokenizer, normalizers

MODEL, TOKENIZER = (
    Path(__file__).with_name(name) for name in ("reranker.onnx", "reranker-tokenizer.json")
)
TOKENS_MAX = 128
# Words that English has and its neighbours have not; one of them tells that a text is English.
_ENGLISH = frozenset(
    "what who whom whose where when which why how does did are would could should have had the my"
    " your his our their its you she they this that these those there and for from with about"
    " to any".split()
)
# Words with which its neighbours ask.
_ELSEWHERE = frozenset(
    "wo wann wer wem wen wie wieviel welche welcher welches warum ist sind hat où qui quel quelle"
    " quand comment est combien pourquoi dónde donde quién quien qué cómo cuándo cuando cuánto cuál"
    " dove chi quale quando perché onde quem quanto waar wanneer hoe welke waarom var vem när hur"
    " hvor hvem gdzie kto kiedy jak ile".split()
)
# What is not read: marks at the ends of words, and words that say little. Every fifth token is one
# of these.
_SILENT = (r'[.,;:!?"()]+(?=\s|$)|(?<=\s)["(]+', r"\b(?:the|an?|of|and|is|are)\b(?!-)")
_WORD = re.compile(r"\w+")
_THREADS_MAX = 4
ANSWERS, REPLACES = range(2)  # What it tells of two texts.


def told_before(question: str, older: str) -> str:
    """What a newer text is read with, to see whether it replaced an older one that answered a
    question.
    """
    return f"{question} {older}"


def tokenizer(in_full: bool = False) -> Tokenizer:
    """What cuts two texts into the tokens that it reads, as it was taught with; `in_full`, into all
    that are there.
    """
    made = Tokenizer.from_file(str(TOKENIZER))
    if not in_full:
        silent = [normalizers.Replace(Regex(pattern), " ") for pattern in _SILENT]
        made.normalizer = normalizers.Sequence([made.normalizer, *silent])
    made.no_padding()
    made.enable_truncation(TOKENS_MAX)  # pyright: ignore[reportUnknownMemberType]
    return made


class CrossEncoder:
    """Reads pairs of a question and a text. Safe to share."""

    def __init__(self) -> None:
        self._tokenizer = tokenizer()
        options = onnxruntime.SessionOptions()
        # Several pairs at once, each by one thread: faster than one pair after the other by
        # several.
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # Memory is given back.
        # Adding and normalising in one step takes longer than one after the other, for texts as
        # short as these.
        options.add_session_config_entry(
            "optimization.disable_specified_optimizers", "SkipLayerNormFusion"
        )
        self._session = onnxruntime.InferenceSession(str(MODEL), options)
        self._threads = min(_THREADS_MAX, os.cpu_count() or 1)
        self._readers = ThreadPoolExecutor(self._threads, thread_name_prefix="reader")

    def reads(self, question: str, texts: Sequence[str]) -> bool:
        """Whether a question is one that it can read: it has only learnt English.

        Of keywords, the texts tell in which language they are.
        """
        words = _words(question)
        if not _ENGLISH.isdisjoint(words):
            return True
        english = sum(not _ENGLISH.isdisjoint(_words(text)) for text in texts)
        return _ELSEWHERE.isdisjoint(words) and english > len(texts) / 2

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> list[float]:
        """How well each text answers a question, as log odds: of the first ones, as many as there
        is time for.
        """
        return self._read([(question, text) for text in texts], ANSWERS, tokens_max)

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> list[float]:
        """Of an older text that answers a question and a newer one: whether this replaced that, as
        log odds.
        """
        return self._read(
            [(told_before(question, older), newer) for older, newer in pairs], REPLACES, tokens_max
        )

    def _read(self, pairs: Sequence[tuple[str, str]], asked: int, tokens_max: int) -> list[float]:
        encoded = self._tokenizer.encode_batch(pairs)
        sizes = accumulate(len(pair.ids) for pair in encoded)
        fitting = max(1, sum(size <= tokens_max for size in sizes))
        said = self._every_verdict(encoded[:fitting])
        return [float(said[place][asked]) for place in range(len(said))]

    def _every_verdict(self, pairs: Sequence[Encoding]) -> dict[int, NDArray[np.float32]]:
        """What is said of each pair, by its place."""
        said: dict[int, NDArray[np.float32]] = {}
        left = deque(enumerate(pairs))

        def read() -> None:
            while left:
                try:
                    place, pair = left.popleft()
                except IndexError:  # Another thread has taken the last one.
                    return
                said[place] = self._verdicts(pair)

        # This thread reads too: by the time another one is awake, a short text has been read.
        others = [self._readers.submit(read) for _ in range(min(self._threads, len(pairs)) - 1)]
        read()
        for other in others:
            if not other.cancel():
                other.result()
        return said

    def _verdicts(self, pair: Encoding) -> NDArray[np.float32]:
        # One by one: numbers are rounded to eight bits over all that is read together, so that in a
        # batch the score of a text would depend on the others.
        given = {"input_ids": pair.ids, "token_type_ids": pair.type_ids}
        (said,) = self._session.run(
            None, {name: np.asarray([ids], dtype=np.int64) for name, ids in given.items()}
        )
        return said[0]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
