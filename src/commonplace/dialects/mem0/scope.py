"""Users, agents, apps and runs of mem0 as scopes and filters; an app is a project."""

from collections.abc import Mapping
from typing import Any, cast

from commonplace.dialects.dialect import Call
from commonplace.dialects.powermem import filters as filter_parser
from commonplace.errors import Invalid
from commonplace.records.memory import Scope
from commonplace.records.query import AllOf, Condition, Filter, Not

ENTITY_FIELDS = ("user_id", "agent_id", "app_id", "run_id")
# The kinds of entities, as mem0 calls them, with the field of a scope.
ENTITY_TYPES = {"user": "user", "agent": "agent", "app": "project", "run": "run"}
# The name that means every user, agent, app or run.
ANY = "*"


def user_name(call: Call, user_id: object) -> str:
    """The user in scopes: "" for the owner, also by name."""
    name = user_id.strip() if isinstance(user_id, str) else ""
    return "" if name == call.owner else name


def shown_user(call: Call, user: str) -> str:
    """The user as mem0 shows it."""
    return user or call.owner


def scope_of(call: Call, given: Mapping[str, object]) -> Scope:
    """The scope of a new memory."""
    names = {name: str(given.get(name) or "").strip() for name in ENTITY_FIELDS}
    return Scope(
        project=names["app_id"],
        user=user_name(call, names["user_id"]),
        agent=names["agent_id"],
        run=names["run_id"],
    )


def filter_of(call: Call, filters: Mapping[str, Any] | None) -> Filter:
    """The memories that a filter of mem0 means. Without a user they are the owner's; `*` is any."""
    entities: dict[str, str] = {}
    rest = _without_entities(dict(filters or {}), entities)
    user, owner = entities.get("user_id", ""), call.owner
    # What was stored for the owner by name belongs to the owner.
    users = (user_name(call, user),) if user_name(call, user) else ("", owner)
    return Filter(
        users=None if user == ANY else users,
        agents=_names(entities, "agent_id"),
        projects=_names(entities, "app_id"),
        runs=_names(entities, "run_id"),
        where=_condition(rest, owner),
    )


def _names(entities: Mapping[str, str], field: str) -> tuple[str, ...] | None:
    name = entities.get(field, "")
    return (name,) if name and name != ANY else None


def _without_entities(filters: dict[str, Any], entities: dict[str, str]) -> dict[str, Any]:
    """The filter without the entities that all of its memories have, which are collected."""
    for name in ENTITY_FIELDS:
        if isinstance(filters.get(name), str):
            entities[name] = str(filters.pop(name)).strip()
    given: object = filters.pop("AND", None)
    if given is None:
        return filters
    joined = [_without_entities(one, entities) for one in _filter_list("AND", given)]
    kept = [one for one in joined if one]
    return filters | ({"AND": kept} if kept else {})


def _condition(filters: dict[str, Any], owner: str) -> Condition | None:
    excluded: object = filters.pop("NOT", None)
    found = filter_parser.parse_condition(filters, owner)
    if excluded is None:
        return found
    parsed = [filter_parser.parse_condition(one, owner) for one in _filter_list("NOT", excluded)]
    conditions = [Not(one) for one in parsed if one is not None]
    return AllOf((*([found] if found else []), *conditions))


def _filter_list(name: str, given: object) -> list[dict[str, Any]]:
    """The filters that AND or NOT joins; one may stand alone."""
    listed = cast("list[object]", given) if isinstance(given, list) else [given]
    if not listed or not all(isinstance(one, dict) for one in listed):
        raise Invalid(
            f"`{name}` needs a list of filters.", hint=f'For example {{"{name}": [{{"a": 1}}]}}.'
        )
    return [dict(one) for one in cast("list[dict[str, Any]]", listed)]
