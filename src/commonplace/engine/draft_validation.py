"""Validates what callers pass in, before a transaction begins: drafts, edits, origins and
filters.
"""

from dataclasses import fields, replace
from typing import Any, cast

from commonplace import validation
from commonplace.errors import Invalid, TooLarge
from commonplace.limits import (
    BULK_MAX,
    FILTER_VALUES_MAX,
    KEY_CHARS_MAX,
    QUERY_CHARS_MAX,
    REASON_CHARS_MAX,
    TITLE_CHARS_MAX,
)
from commonplace.records.memory import Draft, Edit, Origin, Scope, Unset
from commonplace.records.query import Filter


def validate_draft(draft: Draft) -> Draft:
    """A valid draft. The text is not changed."""
    validation.nonempty_text(draft.text)
    validation.metadata(draft.metadata)
    _check_times(draft.happened_at, draft.happened_until, draft.expires_at)
    return replace(
        draft,
        title=validation.line(draft.title, what="title", chars_max=TITLE_CHARS_MAX),
        kind=validation.name(draft.kind, what="kind"),
        key=validation.line(draft.key, what="key", chars_max=KEY_CHARS_MAX),
        tags=validation.tags(draft.tags),
        paths=validation.paths(draft.paths),
        category=validation.line(draft.category, what="category"),
        scope=validate_scope(draft.scope),
    )


def validate_edit(edit: Edit) -> Edit:
    """A valid edit."""
    given: dict[str, Any] = {f.name: getattr(edit, f.name) for f in fields(edit)}
    given = {name: value for name, value in given.items() if not isinstance(value, Unset)}
    if not given:
        raise Invalid(
            "The edit changes nothing.",
            hint=f"Give one of: {', '.join(f.name for f in fields(edit))}.",
        )
    # A draft with a placeholder text validates the other fields by the same rules.
    stand_in: dict[str, Any] = {"text": "-"}
    checked = validate_draft(Draft(**(stand_in | given)))
    return Edit(**{name: getattr(checked, name) for name in given})


def validate_scope(scope: Scope) -> Scope:
    """A valid scope: all of its names are short."""
    return Scope(
        **{f.name: validation.line(getattr(scope, f.name), what=f.name) for f in fields(scope)}
    )


def validate_origin(origin: Origin) -> Origin:
    """A valid origin: all of its texts are short."""
    return Origin(
        who=validation.line(origin.who, what="author"),
        dialect=validation.line(origin.dialect, what="dialect"),
        session=validation.line(origin.session, what="session"),
        reason=validation.any_text(origin.reason, what="reason", bytes_max=REASON_CHARS_MAX * 4),
    )


def validate_filter(chosen: Filter) -> Filter:
    """A valid filter. A blank pattern, which would match everything, is refused."""
    for field in fields(chosen):
        value: object = getattr(chosen, field.name)
        if isinstance(value, tuple):
            _check_value_count(field.name, len(cast(tuple[object, ...], value)))
    for name in ("text_contains", "text_pattern", "key_prefix", "path"):
        value = getattr(chosen, name)
        if value is not None:
            validation.nonempty_text(value, what=name.replace("_", " "), bytes_max=QUERY_CHARS_MAX)
    for name in ("text_contains", "text_pattern"):
        validation.pattern(getattr(chosen, name) or "", what=name.replace("_", " "))
    for tag in chosen.tags_like or ():
        validation.name(tag, what="tag")
    return chosen


def _check_value_count(name: str, count: int) -> None:
    most = BULK_MAX if name == "ids" else FILTER_VALUES_MAX
    if count > most:
        raise TooLarge(
            f"The filter names too many {name}; the limit is {most:,}.", hint="Use fewer."
        )


def _check_times(
    happened_at: int | None, happened_until: int | None, expires_at: int | None
) -> None:
    validation.moment(happened_at, what="time it happened")
    validation.moment(happened_until, what="time it ended")
    validation.moment(expires_at, what="time it expires")
    if happened_at is not None and happened_until is not None and happened_until < happened_at:
        raise Invalid("The end is before the start.", hint="Give an end that is after the start.")
