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
    "asking": -1.566,
    "kind": 1.615,
    "kind missing": -0.659,
    "known missing": -1.949,
    "long": 0.744,
    "names missing": -1.199,
    "out of line": 0.549,
    "read": 7.095,
    "speaker": -0.083,
    "telling": 0.349,
    "tokens around": 2.457,
    "turn": -0.493,
    "vector": 1.554,
    "vector around": 4.313,
}
READ_START = -3.682
READ_MIN = 0.38
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.293,
    "behind nearest": -9.651,
    "between": 3.130,
    "change": 0.978,
    "like": 0.767,
    "longer": 0.892,
    "older's place": -1.313,
    "place": -1.032,
    "rarest shared": 7.496,
    "same figure": -0.065,
    "same kind": 1.035,
    "shared": 0.092,
    "strength": 0.239,
    "told": 2.402,
    "weaker": 0.429,
    "words lost": -0.703,
}
SUPERSEDING_START = -9.821
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
