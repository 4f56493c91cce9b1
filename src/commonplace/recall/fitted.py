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
    "asking": -1.983,
    "kind": 2.235,
    "kind missing": -0.470,
    "known missing": -1.744,
    "long": 0.494,
    "names missing": -1.044,
    "out of line": 0.721,
    "read": 9.313,
    "speaker": 0.215,
    "telling": 0.513,
    "tokens around": 2.186,
    "turn": -0.720,
    "unread": 2.013,
    "vector": 1.585,
    "vector around": 3.614,
}
READ_START = -3.943
READ_MIN = 0.34
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before that one,
# from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = {
    "behind best": -0.187,
    "behind nearest": -7.940,
    "between": 3.024,
    "change": 0.807,
    "like": 0.562,
    "longer": 0.301,
    "older's place": -1.197,
    "place": -1.290,
    "rarest shared": 5.143,
    "same figure": -0.295,
    "same kind": 1.171,
    "shared": 1.566,
    "strength": 0.177,
    "told": 2.817,
    "weaker": 0.393,
    "words lost": -0.956,
}
SUPERSEDING_START = -8.152
# The same where a reranker has read both.
SUPERSEDING_READ: Mapping[str, float] = {
    "behind best": -0.173,
    "behind nearest": -13.730,
    "between": 3.339,
    "change": 0.596,
    "like": -2.214,
    "longer": 0.709,
    "older's place": -2.940,
    "place": -0.861,
    "rarest shared": 3.605,
    "read": 9.376,
    "same figure": -0.524,
    "same kind": 0.607,
    "shared": 1.250,
    "strength": 0.182,
    "told": 2.852,
    "weaker": 0.297,
    "words lost": -1.279,
}
SUPERSEDING_READ_START = -5.140
NEWER_MIN = 0.20
REPLACED_MIN = 0.40
