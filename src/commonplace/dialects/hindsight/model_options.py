"""Checks the options of mental models and pages under the names of the tools' parameters."""

from collections.abc import Mapping

from commonplace.engine.reflect.mental_model_rows import TOKENS_MAX, TOKENS_MIN
from commonplace.errors import Invalid


def check_model_options(
    name: str | None,
    source_query: str | None,
    max_tokens: int | None,
    trigger: Mapping[str, object],
) -> None:
    """Raise Invalid for an option that no mental model can have. None means that it is not given.

    The engine refuses the same values, but names no parameter.
    """
    for parameter, text in (("name", name), ("source_query", source_query)):
        if text is not None and not text.strip():
            raise Invalid(f"{parameter} cannot be empty.", hint=f"Give a {parameter}.")
    if max_tokens is not None and not TOKENS_MIN <= max_tokens <= TOKENS_MAX:
        raise Invalid(
            f"max_tokens must be between {TOKENS_MIN} and {TOKENS_MAX}, got {max_tokens}.",
            hint="Give a number within these limits.",
        )
    if trigger.get("refresh_cron") and trigger.get("refresh_after_consolidation"):
        raise Invalid(
            "refresh_cron and refresh_after_consolidation cannot be combined.",
            hint="Set one of them to null.",
        )
