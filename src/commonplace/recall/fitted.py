"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.861,
    "kind missing": -1.360,
    "known missing": -0.378,
    "long": 0.077,
    "names missing": -1.343,
    "out of line": 0.723,
    "passage": 0.223,
    "reached 35%": 1.062,
    "speaker": 0.402,
    "tokens around": 1.471,
    "turn": -0.970,
    "vector": 4.352,
    "vector around": 5.477,
}
SURE_START = -6.056
SURE_MIN = 0.28
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -2.427,
    "kind missing": -0.956,
    "known missing": -0.648,
    "long": -0.401,
    "names missing": -1.047,
    "out of line": 0.642,
    "read": 4.823,
    "speaker": -0.342,
    "tokens around": 0.971,
    "turn": -0.659,
    "vector around": 4.397,
}
READ_START = -2.570
READ_MIN = 0.40
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.301,
    "behind nearest": -11.829,
    "between": 3.325,
    "change": 0.578,
    "like": 0.275,
    "longer": 1.182,
    "older's place": -0.971,
    "place": -0.593,
    "rarest shared": 6.152,
    "same figure": -1.348,
    "same kind": 1.230,
    "shared": 1.238,
    "strength": 0.317,
    "weaker": 0.375,
}
SUPERSEDING_START = -9.567
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
