"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.739,
    "kind": 2.457,
    "kind missing": -0.974,
    "known missing": -1.637,
    "long": 0.510,
    "names missing": -1.458,
    "out of line": 0.737,
    "passage": 0.092,
    "reached 35%": 1.000,
    "speaker": 0.450,
    "telling": 0.518,
    "tokens around": 2.533,
    "turn": -1.007,
    "vector": 3.301,
    "vector around": 3.706,
}
SURE_START = -5.405
SURE_MIN = 0.44
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -2.540,
    "kind": 1.922,
    "kind missing": -0.738,
    "known missing": -1.744,
    "long": 0.458,
    "names missing": -1.150,
    "out of line": 0.491,
    "read": 5.269,
    "speaker": -0.590,
    "telling": 0.450,
    "tokens around": 2.575,
    "turn": -0.596,
    "vector around": 2.733,
}
READ_START = -2.291
READ_MIN = 0.44
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.297,
    "behind nearest": -9.851,
    "between": 3.067,
    "change": 0.986,
    "like": 0.501,
    "longer": 0.854,
    "older's place": -1.321,
    "place": -0.901,
    "rarest shared": 7.496,
    "same figure": -0.027,
    "same kind": 1.094,
    "shared": 0.175,
    "strength": 0.235,
    "told": 2.439,
    "weaker": 0.425,
    "words lost": -1.044,
}
SUPERSEDING_START = -9.743
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
