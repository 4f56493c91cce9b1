"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.751,
    "kind": 2.382,
    "kind missing": -1.087,
    "known missing": -1.644,
    "long": 0.496,
    "names missing": -1.465,
    "out of line": 0.743,
    "passage": 0.089,
    "reached 35%": 0.977,
    "speaker": 0.478,
    "telling": 0.515,
    "tokens around": 2.549,
    "turn": -1.022,
    "vector": 3.296,
    "vector around": 3.598,
}
SURE_START = -5.389
SURE_MIN = 0.46
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -1.036,
    "coverage around": 0.137,
    "kind": 1.956,
    "kind missing": -0.442,
    "known missing": -1.742,
    "long": 0.578,
    "names missing": -1.198,
    "out of line": 0.508,
    "reached 35%": 0.113,
    "read": 5.700,
    "speaker": 0.366,
    "telling": 0.315,
    "tokens around": 1.870,
    "turn": -0.378,
    "vector": 1.839,
    "vector around": 4.060,
}
READ_START = -3.440
READ_MIN = 0.30
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.270,
    "behind nearest": -9.381,
    "between": 3.339,
    "change": 0.958,
    "like": 0.517,
    "longer": 0.905,
    "older's place": -1.260,
    "place": -1.185,
    "rarest shared": 6.374,
    "same figure": -0.190,
    "same kind": 1.073,
    "shared": 0.523,
    "strength": 0.213,
    "told": 3.534,
    "weaker": 0.438,
    "words lost": -0.701,
}
SUPERSEDING_START = -9.023
# The same where a reranker has read both.
SUPERSEDING_READ: Mapping[str, float] = {
    "behind best": -0.264,
    "behind nearest": -9.657,
    "between": 3.171,
    "change": 0.796,
    "like": -1.489,
    "longer": 1.082,
    "older's place": -2.527,
    "place": -0.692,
    "rarest shared": 5.282,
    "read": 16.131,
    "same figure": -0.414,
    "same kind": 0.501,
    "shared": -0.806,
    "strength": 0.129,
    "told": 2.916,
    "weaker": 0.309,
    "words lost": -0.771,
}
SUPERSEDING_READ_START = -6.721
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
