"""Reflecting: an answer made of what is stored, and of nothing else.

Without a model it is put together from the facts themselves. With a model the same facts are put
into sentences, the model may search for more, and a sentence that cites none of what it was shown
is not kept. When the model fails, the answer is the one without it, and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commonplace.engine.facts import fact_search
from commonplace.engine.facts.fact_search import Finding, Question
from commonplace.engine.memories import list_memories
from commonplace.engine.reflect import extractive_answer, structured_output
from commonplace.engine.reflect.reflect_agent import Guidance, Loop, Search, Step
from commonplace.engine.runtime import Parts
from commonplace.errors import ModelFailed
from commonplace.extract.llm_statements import Model

_LINES_MAX = 40
NO_GUIDANCE = Guidance()
# What others have of it by this name.
structured = structured_output.structured


@dataclass(frozen=True, slots=True)
class Reflection:
    """An answer, the memories it rests on, what was done for it, and a note where it was made
    without the model.
    """

    text: str
    findings: tuple[Finding, ...]
    by_model: bool = False
    note: str = ""
    output: Mapping[str, Any] | None = None
    output_error: str | None = None
    steps: tuple[Step, ...] = ()


def reflect(
    parts: Parts,
    bank: str,
    question: Question,
    tokens_max: int,
    guidance: Guidance = NO_GUIDANCE,
    schema: Mapping[str, Any] | None = None,
) -> Reflection:
    """An answer to a question from what a bank knows, and an object of a schema where one is
    given.
    """
    model, why = _model(parts)
    search = Search(parts, bank, question)
    search.look(question.text, 0)
    if model and (search.found or list_memories(parts, bank, question.filter, limit=1)):
        loop = Loop(search, guidance, model)
        try:
            text = loop.answer(tokens_max)
            output, error = _output(loop, schema, text)
            return Reflection(
                text, tuple(search.found), True, "", output, error, tuple(search.steps)
            )
        except ModelFailed as failure:
            why = failure.message if search.found else ""
    kept = fact_search.packed(parts, search.found[:_LINES_MAX], _line, tokens_max * 2 // 3)
    text = extractive_answer.answer(question.text, kept, parts.judge)
    note = f"Made without the model: {why}" if why else ""
    output, error = (
        structured_output.structured(schema, kept, question.text) if schema else (None, None)
    )
    return Reflection(
        text + (f"\n\n({note})" if note else ""),
        kept,
        False,
        note,
        output,
        error,
        tuple(search.steps),
    )


def _model(parts: Parts) -> tuple[Model | None, str]:
    """The model, if there is one and nobody holds the store meanwhile; or why the one that should
    be there is not.
    """
    if parts.db.in_transaction:
        return None, ""
    try:
        return parts.llm(), ""
    except ModelFailed as error:
        return None, error.message


def _output(loop: Loop, schema: Mapping[str, Any] | None, text: str) -> structured_output.Filled:
    if schema is None:
        return None, None
    if wrong := structured_output.unusable(schema):
        return None, wrong
    try:
        output, error = loop.fill(schema, text)
    except ModelFailed as failure:
        output, error = None, failure.message
    if output is not None:
        return output, None
    by_rule, _ = structured_output.structured(schema, loop.found, loop.search.question.text)
    return (by_rule, None) if by_rule is not None else (None, error)


def _line(one: Finding) -> str:
    return f"- {one.memory.text} [{extractive_answer.cite(one.memory)}] "
