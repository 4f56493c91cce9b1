"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.357,
    "coverage": 0.050,
    "kind missing": -1.377,
    "known missing": -0.473,
    "long": 0.155,
    "names missing": -0.873,
    "out of line": 0.818,
    "reached 35%": 1.163,
    "speaker": 0.591,
    "tokens around": 1.029,
    "turn": -1.131,
    "vector": 3.388,
    "vector around": 2.211,
}
SURE_START = -5.794
SURE_MIN = 0.24
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "change": 1.346,
    "like": 3.298,
    "rarest shared": 7.013,
    "shared": 3.474,
    "strength": 0.614,
    "weaker": 0.312,
}
SUPERSEDING_START = -14.311
NEWER_MIN = 0.12
REPLACED_MIN = 0.50
