"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = {
    "asking": -2.450,
    "kind": 2.373,
    "kind missing": -1.080,
    "known missing": -1.546,
    "long": 0.438,
    "names missing": -1.327,
    "out of line": 0.719,
    "passage": 0.092,
    "reached 35%": 1.093,
    "speaker": 0.443,
    "telling": 0.529,
    "tokens around": 2.636,
    "turn": -1.035,
    "vector": 3.249,
    "vector around": 2.066,
}
SURE_START = -5.319
SURE_MIN = 0.60
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = {
    "asking": -1.930,
    "behind": -12.440,
    "keyword": 0.110,
    "kind": 1.532,
    "kind missing": -0.042,
    "known missing": -1.198,
    "long": -0.007,
    "names missing": -0.682,
    "out of line": 0.615,
    "read": 12.185,
    "speaker": 0.116,
    "telling": 0.767,
    "tokens around": 2.135,
    "turn": -0.868,
    "vector": 1.281,
    "vector around": 0.773,
}
READ_START = -3.397
READ_MIN = 0.34
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before
# that one, from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.164,
    "behind nearest": -8.605,
    "between": 3.392,
    "change": 0.757,
    "like": -0.392,
    "longer": 0.271,
    "older's place": -1.234,
    "place": -1.410,
    "rarest shared": 5.040,
    "same figure": -0.971,
    "same kind": 1.163,
    "shared": 2.297,
    "strength": 0.140,
    "told": 2.802,
    "weaker": 0.373,
    "words lost": -1.038,
}
SUPERSEDING_START = -7.670
# The same where a reranker has read both.
SUPERSEDING_READ: Mapping[str, float] = {
    "behind best": -0.128,
    "behind nearest": -10.232,
    "between": 3.021,
    "change": 0.629,
    "like": -2.555,
    "longer": 0.495,
    "older's place": -2.848,
    "place": -1.259,
    "rarest shared": 4.059,
    "read": 9.984,
    "same figure": -0.934,
    "same kind": 0.437,
    "shared": -0.170,
    "strength": 0.148,
    "told": 3.070,
    "weaker": 0.224,
    "words lost": -1.451,
}
SUPERSEDING_READ_START = -4.487
NEWER_MIN = 0.20
REPLACED_MIN = 0.50
