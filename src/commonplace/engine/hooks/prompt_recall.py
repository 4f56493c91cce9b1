"""Recall for a prompt: only confident answers, and each memory once in the context of a session."""

import re
from collections.abc import Collection
from dataclasses import replace

from commonplace.engine.hooks.brief import visible_filter
from commonplace.engine.hooks.rendering import InjectedText, Section, memory_lines, render
from commonplace.engine.recall import recall
from commonplace.engine.runtime import Runtime
from commonplace.extract.statement_splitting import Message, split_statements
from commonplace.records.query import Query

PROMPT_CHARS_MIN = 15
_WORDS_MIN = 3
_QUESTION_CHARS_MAX = 1_000
_HITS_MAX = 5
_TOKENS_MAX = 400
# Slash commands, shell lines, notes for the client's own memory, and file mentions alone.
_COMMAND = re.compile(
    r"\s*(?:[/!#$@]|(?:git|npm|pnpm|yarn|make|cargo|pytest|python|docker|cd|ls)\s)"
)


def is_worth_recall(prompt: str) -> bool:
    """Whether a prompt can have an answer in memory: it is no command and no small talk."""
    if len(prompt) < PROMPT_CHARS_MIN or len(prompt.split()) < _WORDS_MIN:
        return False
    if _COMMAND.match(prompt):
        return False
    found = split_statements((Message("user", prompt[:_QUESTION_CHARS_MAX]),))
    return bool(found.statements) or any(one.reason == "question" for one in found.skipped)


def recall_for_prompt(
    runtime: Runtime, bank: str, project: str, prompt: str, shown_ids: Collection[int]
) -> InjectedText:
    """The memories that surely answer a prompt and are not in the context yet."""
    if not is_worth_recall(prompt):
        return InjectedText()
    question = Query(prompt[:_QUESTION_CHARS_MAX], replace(visible_filter(project)))
    found = recall(runtime, bank, question)
    if found.unsure:
        return InjectedText()
    new = [
        hit.memory
        for hit in found.hits
        if hit.memory.id not in shown_ids and not set(hit.copies) & set(shown_ids)
    ]
    section = Section("Relevant to this prompt", memory_lines(new[:_HITS_MAX]))
    return render([section], tokens_max=_TOKENS_MAX, chars_max=8_000)
