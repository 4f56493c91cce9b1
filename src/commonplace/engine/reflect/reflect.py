"""Reflects: answers a question from stored memories alone.

Without a language model the answer is built from the facts themselves. With a model, the model
writes sentences and may search for more memories; a sentence without a valid citation is dropped.
When the model fails, the answer is built without it and has a warning.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commonplace.engine.facts import token_budget
from commonplace.engine.facts.fact_query import Question
from commonplace.engine.facts.fact_ranking import Finding
from commonplace.engine.memories import list_memories
from commonplace.engine.reflect import extractive_answer, structured_output
from commonplace.engine.reflect.reflect_agent import Guidance, MemorySearch, ReflectAgent, Step
from commonplace.engine.runtime import Runtime
from commonplace.errors import ModelFailed
from commonplace.extract.llm_statements import Model

_LINES_MAX = 40
NO_GUIDANCE = Guidance()
fill_schema = structured_output.fill_schema


@dataclass(frozen=True, slots=True)
class Reflection:
    """An answer with its sources and steps, and a warning if a model should have written it."""

    text: str
    findings: tuple[Finding, ...]
    by_model: bool = False
    warning: str = ""
    structured: Mapping[str, Any] | None = None
    structured_error: str | None = None
    steps: tuple[Step, ...] = ()


def reflect(
    runtime: Runtime,
    bank: str,
    question: Question,
    tokens_max: int,
    guidance: Guidance = NO_GUIDANCE,
    schema: Mapping[str, Any] | None = None,
) -> Reflection:
    """Answer a question from what a bank knows, and fill a schema if one is given."""
    model, reason = _model_or_reason(runtime)
    search = MemorySearch(runtime, bank, question)
    search.run(question.text, 0)
    if model and (search.found or list_memories(runtime, bank, question.filter, limit=1)):
        agent = ReflectAgent(search, guidance, model)
        try:
            text = agent.answer(tokens_max)
            output, error = _fill_output(agent, schema, text)
            return Reflection(
                text, tuple(search.found), True, "", output, error, tuple(search.steps)
            )
        except ModelFailed as failure:
            reason = failure.message if search.found else ""
    shown = token_budget.fit_tokens(
        runtime, search.found[:_LINES_MAX], _format_line, tokens_max * 2 // 3
    )
    text = extractive_answer.build_answer(question.text, shown, runtime.judge)
    warning = f"Made without the model: {reason}" if reason else ""
    output, error = (
        structured_output.fill_schema(schema, shown, question.text) if schema else (None, None)
    )
    return Reflection(
        text + (f"\n\n({warning})" if warning else ""),
        shown,
        False,
        warning,
        output,
        error,
        tuple(search.steps),
    )


def _model_or_reason(runtime: Runtime) -> tuple[Model | None, str]:
    """The model, or None and the reason why a configured model is not available.

    Inside a transaction no model is used, because it would block other writers.
    """
    if runtime.db.in_transaction:
        return None, ""
    try:
        return runtime.llm(), ""
    except ModelFailed as error:
        return None, error.message


def _fill_output(
    agent: ReflectAgent, schema: Mapping[str, Any] | None, text: str
) -> structured_output.FillResult:
    if schema is None:
        return None, None
    if problem := structured_output.schema_error(schema):
        return None, problem
    try:
        output, error = agent.fill_schema(schema, text)
    except ModelFailed as failure:
        output, error = None, failure.message
    if output is not None:
        return output, None
    by_rule, _ = structured_output.fill_schema(schema, agent.found, agent.search.question.text)
    return (by_rule, None) if by_rule is not None else (None, error)


def _format_line(one: Finding) -> str:
    return f"- {one.memory.text} [{extractive_answer.cite(one.memory)}] "
