"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.736,
    "kind": 2.414,
    "kind missing": -1.093,
    "known missing": -1.540,
    "long": 0.422,
    "names missing": -1.322,
    "out of line": 0.725,
    "passage": 0.102,
    "reached 35%": 1.060,
    "speaker": 0.456,
    "telling": 0.530,
    "tokens around": 2.565,
    "turn": -1.070,
    "vector": 3.242,
    "vector around": 3.323,
}
SURE_START = -5.317
SURE_MIN = 0.58
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -1.665,
    "behind": -13.149,
    "keyword": 0.038,
    "kind": 1.447,
    "kind missing": -0.125,
    "known missing": -1.127,
    "long": 0.149,
    "names missing": -0.674,
    "out of line": 0.644,
    "read": 12.195,
    "speaker": -0.434,
    "telling": 0.524,
    "tokens around": 2.917,
    "turn": -0.616,
    "vector": 1.155,
    "vector around": 3.917,
}
READ_START = -3.265
READ_MIN = 0.38
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.186,
    "behind nearest": -7.941,
    "between": 3.026,
    "change": 0.807,
    "like": 0.561,
    "longer": 0.300,
    "older's place": -1.198,
    "place": -1.290,
    "rarest shared": 5.139,
    "same figure": -0.295,
    "same kind": 1.171,
    "shared": 1.566,
    "strength": 0.177,
    "told": 2.817,
    "weaker": 0.392,
    "words lost": -0.954,
}
SUPERSEDING_START = -8.149
# The same where a reranker has read both.
SUPERSEDING_READ: Mapping[str, float] = {
    "behind best": -0.201,
    "behind nearest": -7.877,
    "between": 2.533,
    "change": 0.805,
    "like": -1.510,
    "longer": 0.897,
    "older's place": -2.661,
    "place": -0.926,
    "rarest shared": 3.605,
    "read": 10.036,
    "same figure": -0.524,
    "same kind": 0.365,
    "shared": -1.032,
    "strength": 0.196,
    "told": 2.485,
    "weaker": 0.296,
    "words lost": -1.915,
}
SUPERSEDING_READ_START = -4.736
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
