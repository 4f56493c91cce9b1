"""The network as a graph of eight-bit weights that onnxruntime runs.

Written node by node: what is exported from torch carries shapes about that cost a tenth of the
time.
"""

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from evals.reader.network import HEADS, VERDICTS, WIDTH, Layer, Network

INPUTS = ("input_ids", "token_type_ids")
OUTPUT = "said"


def write(network: Network, tokens_max: int, target: Path) -> None:
    """A graph that reads pairs of the same length; there is nothing to mask."""
    graph = _Graph()
    said = graph.network(network, tokens_max)
    graph.node("Reshape", said, graph.constant(np.array([-1, VERDICTS])), name=OUTPUT)
    whole = target.with_suffix(".whole")
    onnx.save(graph.model(), str(whole))
    options = {
        "DefaultTensorType": TensorProto.FLOAT
    }  # The quantiser does not know what attention gives.
    quantize_dynamic(
        whole, target, weight_type=QuantType.QInt8, per_channel=True, extra_options=options
    )
    whole.unlink()


class _Graph:
    """Nodes and constants, each named by its number."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
            for name in INPUTS
        ]
        said = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["pairs", VERDICTS])
        graph = helper.make_graph(self._nodes, "reader", given, [said], self._constants)
        versions = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)

    def network(self, network: Network, tokens_max: int) -> str:
        words, parts = (
            self.node("Gather", self._weights(table), ids)
            for table, ids in zip((network.words, network.parts), INPUTS, strict=True)
        )
        length = self.node("Shape", INPUTS[0], start=1, end=2)
        places = self.constant(network.places.weight.detach().numpy()[:tokens_max])
        places = self.node("Slice", places, self.constant(np.array([0])), length)
        tokens = self._norm(self.node("Add", self.node("Add", words, parts), places), network.norm)
        *before, last = network.layers
        for layer in before:
            tokens = self._layer(layer, tokens, tokens)
        first = self.node(
            "Slice", tokens, *(self.constant(np.array([number])) for number in (0, 1, 1))
        )
        pooled = self.node("Tanh", self._linear(self._layer(last, first, tokens), network.pool))
        return self._linear(pooled, network.verdict)

    def node(
        self, kind: str, *inputs: str, name: str = "", domain: str = "", **settings: int | float
    ) -> str:
        """The name of what a node of some kind makes of its inputs."""
        name = name or f"{kind}{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(kind, inputs, [name], name=name, domain=domain, **settings)
        )
        return name

    def constant(self, value: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _layer(self, layer: Layer, asking: str, tokens: str) -> str:
        parts = layer.looking.weight.detach().numpy(), layer.looking.bias.detach().numpy()
        looks = [
            self._times(source, *(part[start : start + WIDTH] for part in parts))
            for source, start in ((asking, 0), (tokens, WIDTH), (tokens, 2 * WIDTH))
        ]
        seen = self.node("MultiHeadAttention", *looks, domain="com.microsoft", num_heads=HEADS)
        asking = self._norm(self.node("Add", asking, self._linear(seen, layer.seen)), layer.norm)
        inner = self._linear(self.node("Gelu", self._linear(asking, layer.wide)), layer.narrow)
        return self._norm(self.node("Add", asking, inner), layer.last_norm)

    def _linear(self, tokens: str, linear: nn.Linear) -> str:
        return self._times(tokens, linear.weight.detach().numpy(), linear.bias.detach().numpy())

    def _times(self, tokens: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        return self.node(
            "Add", self.node("MatMul", tokens, self.constant(weight.T)), self.constant(bias)
        )

    def _norm(self, tokens: str, norm: nn.LayerNorm) -> str:
        weight, bias = self._weights(norm), self.constant(norm.bias.detach().numpy())
        return self.node("LayerNormalization", tokens, weight, bias, axis=-1, epsilon=norm.eps)

    def _weights(self, of: nn.Embedding | nn.LayerNorm) -> str:
        return self.constant(of.weight.detach().numpy())
