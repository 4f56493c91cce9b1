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
    "asking": -1.869,
    "keyword": 0.086,
    "kind": 1.251,
    "kind missing": -0.172,
    "known missing": -1.158,
    "long": -0.177,
    "names missing": -0.658,
    "out of line": 0.735,
    "read": 13.082,
    "speaker": -0.447,
    "telling": 0.545,
    "tokens around": 2.987,
    "turn": -0.700,
    "vector": 1.000,
    "vector around": 3.720,
}
READ_START = -3.700
READ_MIN = 0.34
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
    "behind best": -0.237,
    "behind nearest": -9.777,
    "between": 3.075,
    "change": 0.687,
    "like": -1.315,
    "longer": 0.984,
    "older's place": -2.958,
    "place": -0.849,
    "rarest shared": 4.147,
    "read": 9.769,
    "same figure": -0.620,
    "same kind": 0.453,
    "shared": -1.184,
    "strength": 0.196,
    "told": 2.775,
    "weaker": 0.293,
    "words lost": -1.380,
}
SUPERSEDING_READ_START = -5.420
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
