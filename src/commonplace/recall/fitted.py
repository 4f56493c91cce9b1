"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.314,
    "coverage": 0.046,
    "coverage around": 0.076,
    "kind missing": -1.499,
    "known missing": -0.187,
    "long": -0.115,
    "names missing": -1.061,
    "out of line": 0.765,
    "reached 35%": 1.097,
    "speaker": 0.192,
    "tokens around": 0.367,
    "turn": -0.814,
    "vector": 4.509,
    "vector around": 2.805,
}
SURE_START = -5.924
SURE_MIN = 0.32
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "asking": -1.074,
    "change": 1.250,
    "like": 3.768,
    "rarest shared": 7.641,
    "shared": 3.061,
    "strength": 0.614,
    "weaker": 0.315,
}
SUPERSEDING_START = -14.840
NEWER_MIN = 0.12
REPLACED_MIN = 0.50
