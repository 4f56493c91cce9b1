"""The evidence for candidates: features by name, for one memory, one hit, or a pair of hits.

Weights are mappings from the names of these features; `checked_weights` accepts no other names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace


@dataclass(slots=True)
class Features:
    """The features of one candidate; None is a feature that was not computed.

    The first ten go from 0 to 1 and do not depend on other candidates, so a good hit is good in any
    store. Their weighted sum is the strength of a hit. The others only change the order.
    """

    # The share of the highest possible BM25 score, as a square root, so that the first words found
    # count most.
    keyword: float | None = None
    # The share of the question's terms, weighted by rareness; and the same in the best passage,
    # since a long text has many words of a question by chance.
    coverage: float | None = None
    passage: float | None = None
    # The similarity of the text as a whole.
    vector: float | None = None
    # The similarity to each word of the question, weighted by the embedder's token weights and by
    # rareness; the same in the best passage, and in the best section of a few passages.
    tokens: float | None = None
    passage_tokens: float | None = None
    section_tokens: float | None = None
    # Whether the question is about the speaker of a turn; None for what is not a turn.
    speaker: float | None = None
    # How much these three gain when the surrounding turns are included.
    coverage_around: float | None = None
    vector_around: float | None = None
    tokens_around: float | None = None
    # Among people, the share of a turn's sentences that are questions, which seldom answer one.
    asking: float | None = None
    # How informative a turn or a message is, rather than thanks, consent or a promise; 0 is
    # average.
    telling: float | None = None
    # How similar a long text is to the best of the other candidates.
    company: float | None = None
    # How new it is, when the question continues the last subject.
    recent: float | None = None
    # Whether it is of the time that the question mentions.
    time: float | None = None
    # Whether it states a preference, when the question asks for advice.
    preference: float | None = None
    # How similar the question is to the topic of a standing rule.
    rule: float | None = None
    # How many things of the type that the question asks for it names: a dog where it asks for pets.
    kind: float | None = None
    # Whether a statement has a time, a price or a number where the question asks for one.
    answer: float | None = None
    # How close it comes to the best candidate for one of two things that the question compares.
    part: float | None = None
    # The score of the reranker, from -0.5 to 0.5; `unread` is -0.5 where it has read others.
    read: float | None = None
    unread: float | None = None


@dataclass(slots=True, kw_only=True)
class HitFeatures(Features):
    """The features of one of the best hits, compared with the question and with the other hits."""

    # How far its strength is from that of the usual candidate of this question.
    out_of_line: float
    # The share of the names and figures of the question that it lacks.
    names_missing: float
    # The share of the question that it lacks though other memories have it, so that it is about
    # something else; and of words that no memory has, which may only be worded otherwise.
    known_missing: float
    unknown_missing: float
    # Whether it lacks what is asked for: a time, a number, a name, a place, or a thing of a type.
    kind_missing: float
    # Whether it has the identifiers of a question that consists of nothing else.
    named: float
    # Whether it is a turn of a conversation, and how long it is.
    turn: float
    long: float
    # How far its reranker score is below the best: most questions have one answer.
    behind: float | None = None
    # The share of the question's tokens that it has at a degree of similarity, in percent.
    reached_35: float = 0.0
    reached_45: float = 0.0
    reached_60: float = 0.0
    reached_75: float = 0.0
    reached_95: float = 0.0


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """The features of a pair of hits, as evidence that the newer one has replaced the older."""

    # The similarity of the two, and how much less that is than for the newer memory that is most
    # similar to the older.
    similarity: float
    behind_nearest: float
    # The share of the older one's words that both have, weighted by rareness; and the rareness of
    # the rarest of them, since a change often names what was before.
    shared: float
    rarest_shared: float
    # The share of the hits that were written between the two: memories of one time belong together.
    between: float
    # The strength of the newer one, and how far it is below the older one and below the best hit.
    strength: float
    weaker: float
    behind_best: float
    # The positions of the two among the hits, as logarithms.
    position: float
    older_position: float
    # The share of the question that the older one has and the newer one lacks.
    words_lost: float
    # Whether the newer one has words of a change, and whether these answer the question.
    change: float
    change_answers: float
    # Whether both have a figure or neither has, since a price is replaced by a price; and whether
    # they have a figure in common.
    same_kind: float
    same_figure: float
    # How much longer the newer one is: a change comes with its reason.
    longer: float
    # The score of the reranker for the pair, where it has read both.
    read: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for one memory. `exact` means that it has every identifier of the question.

    A statement is a short text of its own, neither a long one nor a turn of a conversation.
    """

    memory_id: int
    exact: bool
    features: Features = field(default_factory=Features)
    is_statement: bool = False

    def with_part(self, value: float) -> "Evidence":
        """The same with a value for a part of the question."""
        return replace(self, features=replace(self.features, part=value))

    def with_reading(self, *, read: float | None = None, unread: float | None = None) -> "Evidence":
        """The same with the score of a reranker, or with that of a memory it has not read."""
        return replace(self, features=replace(self.features, read=read, unread=unread))

    def channels(self) -> dict[str, float]:
        """The features as they are shown: by name, in words."""
        found = computed(self.features)
        return {name.replace("_", " "): round(value, 4) for name, value in found.items()}


def computed(features: Features | PairFeatures) -> dict[str, float]:
    """The features that were computed, by name."""
    values = ((one.name, getattr(features, one.name)) for one in fields(features))
    return {name: value for name, value in values if value is not None}


def weighted_sum(weights: Mapping[str, float], features: Features | PairFeatures) -> float:
    """The sum of the features times their weights; what was not computed counts nothing."""
    return sum(weight * (getattr(features, name) or 0.0) for name, weight in weights.items())


def checked_weights(
    features: type[Features] | type[PairFeatures], weights: Mapping[str, float]
) -> Mapping[str, float]:
    """Weights of which every name is one of the features. Raises LookupError for another name."""
    unknown = weights.keys() - {one.name for one in fields(features)}
    if unknown:
        raise LookupError(f"{features.__name__} has no {', '.join(sorted(unknown))}.")
    return weights
