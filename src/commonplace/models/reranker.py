"""The reranker: a small cross-encoder that scores how well a text answers a question.

It is also trained to detect that a newer text has replaced an older one. It is part of this
package: six layers, made from those of ms-marco-MiniLM-L-12-v2 (Apache-2.0) and trained with
synthetic memories and questions. `evals/reader` contains the training code; see NOTICE for the
origin.
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
# Words that exist in English only; one of them identifies a text as English.
_ENGLISH = frozenset(
    "what who whom whose where when which why how does did are would could should have had the my"
    " your his our their its you she they this that these those there and for from with about"
    " to any".split()
)
# Question words of other languages.
_OTHER_LANGUAGES = frozenset(
    "wo wann wer wem wen wie wieviel welche welcher welches warum ist sind hat où qui quel quelle"
    " quand comment est combien pourquoi dónde donde quién quien qué cómo cuándo cuando cuánto cuál"
    " dove chi quale quando perché onde quem quanto waar wanneer hoe welke waarom var vem när hur"
    " hvor hvem gdzie kto kiedy jak ile".split()
)
# Removed from the input: punctuation at word ends, and uninformative words. They are a fifth of
# all tokens.
_IGNORED = (r'[.,;:!?"()]+(?=\s|$)|(?<=\s)["(]+', r"\b(?:the|an?|of|and|is|are)\b(?!-)")
_WORD = re.compile(r"\w+")
_THREADS_MAX = 4
ANSWERS, REPLACES = range(2)  # The outputs of the model.


def replacement_query(question: str, older: str) -> str:
    """The first text of a pair that asks whether a newer text replaced an older answer."""
    return f"{question} {older}"


def load_tokenizer(unfiltered: bool = False) -> Tokenizer:
    """The tokenizer of the model as it was trained. `unfiltered` keeps the ignored words."""
    made = Tokenizer.from_file(str(TOKENIZER))
    if not unfiltered:
        silent = [normalizers.Replace(Regex(pattern), " ") for pattern in _IGNORED]
        made.normalizer = normalizers.Sequence([made.normalizer, *silent])
    made.no_padding()
    made.enable_truncation(TOKENS_MAX)  # pyright: ignore[reportUnknownMemberType]
    return made


class CrossEncoder:
    """Scores pairs of a question and a text. Thread-safe."""

    def __init__(self) -> None:
        self._tokenizer = load_tokenizer()
        options = onnxruntime.SessionOptions()
        # One thread per pair and several pairs in parallel: faster than several threads per pair.
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # Returns memory to the system.
        # For short texts, the fused addition and normalisation is slower than the separate steps.
        options.add_session_config_entry(
            "optimization.disable_specified_optimizers", "SkipLayerNormFusion"
        )
        self._session = onnxruntime.InferenceSession(str(MODEL), options)
        self._threads = min(_THREADS_MAX, os.cpu_count() or 1)
        self._readers = ThreadPoolExecutor(self._threads, thread_name_prefix="reader")

    def reads(self, question: str, texts: Sequence[str]) -> bool:
        """Whether the model supports the language of a question. It is trained on English only.

        For keywords without a clear language, the texts decide.
        """
        words = _words(question)
        if not _ENGLISH.isdisjoint(words):
            return True
        english = sum(not _ENGLISH.isdisjoint(_words(text)) for text in texts)
        return _OTHER_LANGUAGES.isdisjoint(words) and english > len(texts) / 2

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> list[float]:
        """How well each text answers a question, as log odds, for as many of the first texts as the
        token budget allows.
        """
        return self._score_pairs([(question, text) for text in texts], ANSWERS, tokens_max)

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> list[float]:
        """Whether the newer text of each pair replaced the older one as the answer to a question,
        as log odds.
        """
        return self._score_pairs(
            [(replacement_query(question, older), newer) for older, newer in pairs],
            REPLACES,
            tokens_max,
        )

    def _score_pairs(
        self, pairs: Sequence[tuple[str, str]], asked: int, tokens_max: int
    ) -> list[float]:
        encoded = self._tokenizer.encode_batch(pairs)
        sizes = accumulate(len(pair.ids) for pair in encoded)
        fitting = max(1, sum(size <= tokens_max for size in sizes))
        said = self._infer_all(encoded[:fitting])
        return [float(said[place][asked]) for place in range(len(said))]

    def _infer_all(self, pairs: Sequence[Encoding]) -> dict[int, NDArray[np.float32]]:
        """The outputs of the model for each pair, by index."""
        said: dict[int, NDArray[np.float32]] = {}
        left = deque(enumerate(pairs))

        def read() -> None:
            while left:
                try:
                    place, pair = left.popleft()
                except IndexError:  # Another thread has taken the last one.
                    return
                said[place] = self._infer(pair)

        # This thread works too: a short text is done by the time another thread has started.
        others = [self._readers.submit(read) for _ in range(min(self._threads, len(pairs)) - 1)]
        read()
        for other in others:
            if not other.cancel():
                other.result()
        return said

    def _infer(self, pair: Encoding) -> NDArray[np.float32]:
        # One by one: activations are quantized to eight bits over the whole batch, so in a batch
        # the score of a text would depend on the other texts.
        given = {"input_ids": pair.ids, "token_type_ids": pair.type_ids}
        (said,) = self._session.run(
            None, {name: np.asarray([ids], dtype=np.int64) for name, ids in given.items()}
        )
        return said[0]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
