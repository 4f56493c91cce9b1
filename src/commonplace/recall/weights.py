"""The weights that `python -m evals.fit_sureness` found, which writes this file."""

from collections.abc import Mapping

from commonplace.recall.evidence import HitFeatures, PairFeatures, checked_weights

# How sure it is that a hit is right; from the cut on it is returned.
SURE: Mapping[str, float] = checked_weights(
    HitFeatures,
    {
        "asking": -2.450,
        "kind": 2.373,
        "kind_missing": -1.080,
        "known_missing": -1.546,
        "long": 0.438,
        "names_missing": -1.327,
        "out_of_line": 0.719,
        "passage": 0.092,
        "reached_35": 1.093,
        "speaker": 0.443,
        "telling": 0.529,
        "tokens_around": 2.636,
        "turn": -1.035,
        "vector": 3.249,
        "vector_around": 2.066,
    },
)
SURE_START = -5.319
SURE_MIN = 0.60
# The same where a reranker has read the best hits.
READ: Mapping[str, float] = checked_weights(
    HitFeatures,
    {
        "asking": -1.930,
        "behind": -12.440,
        "keyword": 0.110,
        "kind": 1.532,
        "kind_missing": -0.042,
        "known_missing": -1.198,
        "long": -0.007,
        "names_missing": -0.682,
        "out_of_line": 0.615,
        "read": 12.185,
        "speaker": 0.116,
        "telling": 0.767,
        "tokens_around": 2.135,
        "turn": -0.868,
        "vector": 1.281,
        "vector_around": 0.773,
    },
)
READ_START = -3.397
READ_MIN = 0.34
# How sure it is that a newer memory replaced an older one; from the first cut on it stands before
# that one, from the second on that one is left out.
SUPERSEDING: Mapping[str, float] = checked_weights(
    PairFeatures,
    {
        "behind_best": -0.164,
        "behind_nearest": -8.605,
        "between": 3.392,
        "change": 0.757,
        "similarity": -0.392,
        "longer": 0.271,
        "older_position": -1.234,
        "position": -1.410,
        "rarest_shared": 5.040,
        "same_figure": -0.971,
        "same_kind": 1.163,
        "shared": 2.297,
        "strength": 0.140,
        "change_answers": 2.802,
        "weaker": 0.373,
        "words_lost": -1.038,
    },
)
SUPERSEDING_START = -7.670
# The same where a reranker has read both.
SUPERSEDING_READ: Mapping[str, float] = checked_weights(
    PairFeatures,
    {
        "behind_best": -0.128,
        "behind_nearest": -10.232,
        "between": 3.021,
        "change": 0.629,
        "similarity": -2.555,
        "longer": 0.495,
        "older_position": -2.848,
        "position": -1.259,
        "rarest_shared": 4.059,
        "read": 9.984,
        "same_figure": -0.934,
        "same_kind": 0.437,
        "shared": -0.170,
        "strength": 0.148,
        "change_answers": 3.070,
        "weaker": 0.224,
        "words_lost": -1.451,
    },
)
SUPERSEDING_READ_START = -4.487
NEWER_MIN = 0.20
REPLACED_MIN = 0.50
