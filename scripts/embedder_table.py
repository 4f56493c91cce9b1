r"""Makes the embedder's table and tokenizer from a wheel of wordllama, which exists for some
platforms only.

    pip download --no-deps --only-binary :all: --platform manylinux2014_x86_64 \
        --python-version 3.11 wordllama==0.4.0.post1
    python scripts/embedder_table.py wordllama-0.4.0.post1-*.whl

Every row keeps 127 steps either side of zero and its own step size: half the bytes, and the cosine
of two texts changes by 0.0005 on average and 0.003 at most. The tokenizer is the same JSON without
blanks.
"""

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent.parent / "src" / "commonplace" / "models"
WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
STEPS = 127


def tensor(data: bytes) -> NDArray[np.float32]:
    """The one table in a safetensors file: eight bytes of length, a JSON header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:start])["embedding.weight"]
    if entry["dtype"] != "F16":
        raise SystemExit(f"The weights are {entry['dtype']}, not F16.")
    return np.frombuffer(data[start:], np.float16).reshape(entry["shape"]).astype(np.float32)


def quantized(rows: NDArray[np.float32]) -> NDArray[np.void]:
    """A record per token: the size of a step and the number of steps in each dimension."""
    table = np.zeros(len(rows), dtype=[("step", "<f4"), ("steps", "i1", rows.shape[1])])
    table["step"] = np.abs(rows).max(axis=1) / STEPS
    table["steps"] = np.rint(rows / table["step"][:, None])
    return table


def main(wheel: str) -> None:
    with zipfile.ZipFile(wheel) as files:
        np.save(FOLDER / "embedder.npy", quantized(tensor(files.read(WEIGHTS))))
        tokenizer = json.loads(files.read(TOKENIZER))
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / "embedder-tokenizer.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
