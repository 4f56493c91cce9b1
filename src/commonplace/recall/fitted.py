"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.744,
    "kind": 2.563,
    "kind missing": -0.792,
    "known missing": -1.666,
    "long": 0.513,
    "names missing": -1.432,
    "out of line": 0.724,
    "passage": 0.212,
    "reached 35%": 0.966,
    "speaker": 0.490,
    "telling": 0.569,
    "tokens around": 2.579,
    "turn": -1.048,
    "vector": 3.293,
    "vector around": 3.651,
}
SURE_START = -5.494
SURE_MIN = 0.44
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -2.547,
    "kind": 1.974,
    "kind missing": -0.618,
    "known missing": -1.774,
    "long": 0.461,
    "names missing": -1.109,
    "out of line": 0.477,
    "read": 5.362,
    "speaker": -0.556,
    "telling": 0.485,
    "tokens around": 2.601,
    "turn": -0.626,
    "vector around": 2.676,
}
READ_START = -2.316
READ_MIN = 0.40
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.310,
    "behind nearest": -9.757,
    "between": 3.179,
    "change": 0.974,
    "like": 0.746,
    "longer": 0.791,
    "older's place": -1.180,
    "place": -0.975,
    "rarest shared": 7.336,
    "same figure": 0.069,
    "same kind": 1.121,
    "shared": 0.212,
    "strength": 0.227,
    "told": 2.422,
    "weaker": 0.454,
    "words lost": -0.907,
}
SUPERSEDING_START = -9.794
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
