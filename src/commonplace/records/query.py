"""Questions and their answers: filters, pages, queries and hits. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace.records.memory import Memory

TagsMatch: TypeAlias = Literal["any", "all", "any_strict", "all_strict", "exact"]
Operator: TypeAlias = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "like", "ilike"]
Order: TypeAlias = Literal["created", "updated", "happened", "key"]
Status: TypeAlias = Literal["live", "forgotten", "any"]


@dataclass(frozen=True, slots=True)
class Match:
    """A condition on one metadata field. A path of several names goes into nested objects; None is
    "absent or null".
    """

    path: tuple[str, ...]
    operator: Operator
    value: object
    # Whether the field is one of the memory's own: id, kind, category, user, agent, run, text,
    # created_at, updated_at.
    own: bool = False


@dataclass(frozen=True, slots=True)
class TagMatch:
    """A condition on the tags. `any` and `all` let untagged memories through; the strict modes do
    not.
    """

    tags: tuple[str, ...]
    mode: TagsMatch = "any_strict"


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """The same, with the project and the agent counted among the tags, as `Scope.labels` has
    them.
    """

    tags: tuple[str, ...]
    mode: TagsMatch = "any_strict"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every condition holds."""

    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds."""

    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: "Condition"


Condition: TypeAlias = Match | TagMatch | LabelMatch | AllOf | AnyOf | Not


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant; None is "any". Fields combine with and; the values inside one with
    or.
    """

    ids: tuple[int, ...] | None = None
    projects: tuple[str, ...] | None = None
    users: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    runs: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    kinds_not: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    key: str | None = None
    key_prefix: str | None = None
    tags_like: tuple[str, ...] | None = None
    text_contains: str | None = None
    text_pattern: str | None = None
    title: str | None = None
    path: str | None = None
    document_id: int | None = None
    created_from: int | None = None
    created_before: int | None = None
    updated_from: int | None = None
    updated_before: int | None = None
    happened_from: int | None = None
    happened_before: int | None = None
    # False means those that expire some day, True those that do not.
    lasting: bool | None = None
    where: Condition | None = None
    status: Status = "live"
    expired: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list, in which order. Keys sort upwards, moments newest first."""

    order: Order = "created"
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the ranking of a question: after a hit, among scores that are weighed as they were
    for that hit.

    The weights of a question change with every write, and with them all scores. A place keeps what
    they were made of, so that whoever goes on from it meets what did not change exactly where it
    was.
    """

    score: float
    memory_id: int
    term_counts: tuple[int, ...]
    row_count: int
    term_count: int
    # Whether some memory had the identifiers of the question, which divides the scores in two
    # halves.
    identified: bool
    # The best, which stand before all others, with their scores, and how many of them are still to
    # come.
    head: tuple[tuple[int, float], ...] = ()
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """A question. `now` anchors words such as "yesterday"; `channels` narrows how it is looked for.

    `during` is the time it speaks of, from a moment up to another, read from the words when it is
    not given; what is of that time comes first. `limit` is the most hits wanted, the merely similar
    among them; without one only those come that are surely answers, and when there are none, the
    few that come closest, marked as unsure. `depth` is how many candidates of each channel are
    weighed at least; with one, the hits come in pages, and `after` is where the page before ended.
    """

    text: str
    filter: Filter = Filter()
    limit: int | None = None
    min_score: float = 0.0
    channels: tuple[str, ...] = ("keyword", "vector")
    now: int | None = None
    during: tuple[int, int] | None = None
    explain: bool = False
    depth: int = 0
    after: Place | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a question: a calibrated score in 0..1 and what each channel made of
    it.

    `copies` are the ids of others that say the same, which it stands for; of very many the newest.
    """

    memory: Memory
    score: float
    channels: Mapping[str, float]
    copies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was found and left out, for those who ask why."""

    memory_id: int
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Recall:
    """What is known about a question, best first. Empty means that nothing relevant is known.

    `unsure` says that none of the hits is surely an answer.
    """

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...] = ()
    # Where the next page begins, if one was asked for and there is more.
    next: Place | None = None
    unsure: bool = False
