"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.484,
    "coverage": 0.128,
    "coverage around": 0.291,
    "kind missing": -1.472,
    "known missing": -0.404,
    "long": -0.426,
    "names missing": -0.914,
    "out of line": 0.772,
    "reached 35%": 2.094,
    "speaker": -0.038,
    "tokens around": 0.731,
    "turn": -1.205,
    "vector": 3.330,
    "vector around": 2.506,
}
SURE_START = -5.538
SURE_MIN = 0.38
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "asking": -1.312,
    "change": 1.193,
    "like": 3.424,
    "rarest shared": 7.789,
    "shared": 3.415,
    "statements": 2.275,
    "strength": 0.650,
    "weaker": 0.318,
}
SUPERSEDING_START = -17.056
NEWER_MIN = 0.12
REPLACED_MIN = 0.50
