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
    """A condition on one metadata field. A path of several names leads into nested objects; the
    value None means "absent or null".
    """

    path: tuple[str, ...]
    operator: Operator
    value: object
    # Whether the field is a column of the memory instead of metadata: id, kind, category, user,
    # agent, run, text, created_at, updated_at.
    own: bool = False


@dataclass(frozen=True, slots=True)
class TagMatch:
    """A condition on the tags. The modes `any` and `all` also match untagged memories; the strict
    modes do not.
    """

    tags: tuple[str, ...]
    mode: TagsMatch = "any_strict"


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """A condition on the tags and on the project and agent as tags (see `Scope.labels`)."""

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
    """A set of memories. None means "any"; fields are combined with "and", the values of one field
    with "or".
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
    # The dialects that wrote the first version.
    dialects: tuple[str, ...] | None = None
    # The time of creation and the id of a memory; those after it in a list, newest first.
    older_than: tuple[int, int] | None = None
    # False selects memories with an expiry time, True those without one.
    lasting: bool | None = None
    where: Condition | None = None
    status: Status = "live"
    expired: bool = False


@dataclass(frozen=True, slots=True)
class Facets:
    """The values that the memories of a bank have in some fields."""

    projects: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list, in which order. Keys sort upwards, moments newest first."""

    order: Order = "created"
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Cursor:
    """A pagination cursor: the position after a hit in the ranking of a query.

    The weights of a query change with every write, and with them all scores. A cursor holds the
    numbers behind the weights, so that the next page ranks unchanged memories exactly as before.
    """

    score: float
    memory_id: int
    term_counts: tuple[int, ...]
    row_count: int
    term_count: int
    # Whether some memory had the identifiers of the query, which splits the scores in two halves.
    identified: bool
    # The reranked hits, which precede all others, with their scores, and how many of them are
    # still to be returned.
    head: tuple[tuple[int, float], ...] = ()
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """A question. `now` anchors words such as "yesterday"; `channels` restricts the search.

    `during` is the period of the question, from a moment up to another. It is parsed from the text
    when it is not given, and memories of that period rank first. `limit` is the maximum number of
    hits, including merely similar ones. Without a limit only confident answers are returned, or,
    when there are none, the few closest hits with `unsure` set. `depth` is the minimum number of
    candidates of each channel; with a depth the hits come in pages, and `after` is the end of the
    previous page.
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
    after: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """The newer memory that replaced another one, and how sure that is. Only a sure one counts as
    a fact; the others are shown as possible.
    """

    memory: Memory
    confidence: float
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a question, with a calibrated score in 0..1 and the score of each
    channel.

    `copies` are the ids of memories with the same text, which this hit represents; only the newest
    ones when there are very many. `replacement` is the newer memory that replaced it, if any.
    """

    memory: Memory
    score: float
    channels: Mapping[str, float]
    copies: tuple[int, ...] = ()
    replacement: Replacement | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was found and not returned, with the reason."""

    memory_id: int
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query, best hit first. No hits means that nothing relevant is known.

    `unsure` means that none of the hits is a confident answer.
    """

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...] = ()
    # The start of the next page, if pages were requested and there is one.
    next: Cursor | None = None
    unsure: bool = False
