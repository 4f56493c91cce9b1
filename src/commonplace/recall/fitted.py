"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.531,
    "coverage around": 0.014,
    "kind missing": -1.225,
    "known missing": -1.595,
    "long": 0.567,
    "names missing": -1.388,
    "out of line": 0.724,
    "passage": 0.311,
    "reached 35%": 1.042,
    "speaker": 0.444,
    "telling": 0.609,
    "tokens around": 2.754,
    "turn": -1.103,
    "vector": 3.152,
    "vector around": 3.251,
}
SURE_START = -5.550
SURE_MIN = 0.40
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -2.308,
    "coverage around": 0.078,
    "kind missing": -0.809,
    "known missing": -1.745,
    "long": 0.526,
    "names missing": -1.097,
    "out of line": 0.474,
    "read": 5.446,
    "speaker": -0.606,
    "telling": 0.504,
    "tokens around": 2.620,
    "turn": -0.628,
    "vector around": 2.335,
}
READ_START = -2.347
READ_MIN = 0.38
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.287,
    "behind nearest": -9.783,
    "between": 3.181,
    "change": 0.955,
    "like": 0.781,
    "longer": 0.762,
    "older's place": -1.241,
    "place": -1.019,
    "rarest shared": 7.490,
    "same figure": 0.073,
    "same kind": 1.213,
    "shared": 0.314,
    "strength": 0.216,
    "told": 2.492,
    "weaker": 0.437,
    "words lost": -0.855,
}
SUPERSEDING_START = -9.910
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
