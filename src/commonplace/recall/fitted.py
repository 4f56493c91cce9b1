"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.358,
    "coverage": 0.049,
    "kind missing": -1.376,
    "known missing": -0.471,
    "long": 0.156,
    "names missing": -0.867,
    "out of line": 0.818,
    "reached 35%": 1.165,
    "speaker": 0.590,
    "tokens around": 1.028,
    "turn": -1.130,
    "vector": 3.396,
    "vector around": 2.215,
}
SURE_START = -5.801
SURE_MIN = 0.26
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "change": 0.784,
    "like": 1.929,
    "rarest shared": 7.210,
    "shared": 4.377,
    "strength": 0.623,
    "weaker": 0.303,
}
SUPERSEDING_START = -13.440
NEWER_MIN = 0.12
REPLACED_MIN = 0.50
