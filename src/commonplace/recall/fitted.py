"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.359,
    "coverage": 0.049,
    "kind missing": -1.376,
    "known missing": -0.471,
    "long": 0.156,
    "names missing": -0.867,
    "out of line": 0.818,
    "reached 35%": 1.165,
    "speaker": 0.591,
    "tokens around": 1.030,
    "turn": -1.130,
    "vector": 3.395,
    "vector around": 2.208,
}
SURE_START = -5.800
SURE_MIN = 0.24
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "change": 1.060,
    "like": 2.637,
    "rarest shared": 7.076,
    "shared": 3.467,
    "strength": 0.564,
    "weaker": 0.314,
}
SUPERSEDING_START = -13.570
NEWER_MIN = 0.12
REPLACED_MIN = 0.50
