"""Judges links between memories with a language model, while the server is idle."""

from commonplace.engine.links.link_derivation import candidates, full_text, link_kind, recency_key
from commonplace.engine.runtime import Runtime
from commonplace.errors import ModelFailed
from commonplace.extract import llm_links
from commonplace.extract.llm_statements import Model
from commonplace.records.memory import Link, Memory
from commonplace.storage.rows import banks, links

_BANKS_MAX = 10_000
_JUDGED_MARK = "judged"
_MODEL_PAUSED_UNTIL = "model_rests_until"
_MODEL_PAUSE_MS = 300_000
_JUDGED_PER_RUN = 5
_SHOWN_MAX = 8


def judge_with_model(runtime: Runtime, bank_id: int) -> int:
    """Have the language model, if any, judge the memories linked last. Returns how many were
    judged.

    It runs while the server is idle, so that no caller waits for it. Its links are stored beside
    those derived from words.
    """
    model, position = runtime.llm(), links.high_water_mark(runtime.db, bank_id, _JUDGED_MARK)
    count = 0
    if model is None:
        return count
    for memory, _ in links.changed_since(runtime.db, bank_id, position, _JUDGED_PER_RUN):
        if links.change_position(memory) > links.high_water_mark(runtime.db, bank_id):
            break  # Links derived from words come first, because making them drops the others.
        made = [] if memory.forgotten_at is not None else _judge_links(runtime, model, memory)
        with runtime.db.transaction():
            links.put(runtime.db, bank_id, made, runtime.clock.now())
            links.set_high_water_mark(
                runtime.db, bank_id, links.change_position(memory), _JUDGED_MARK
            )
        count += 1
    return count


def _judge_links(runtime: Runtime, model: Model, memory: Memory) -> list[Link]:
    """The links from a memory to older ones by the language model's judgement."""
    older = [
        one
        for one in candidates(runtime, memory, _SHOWN_MAX)
        if recency_key(one) < recency_key(memory)
    ][:_SHOWN_MAX]
    if not older:
        return []
    verdicts = llm_links.judge_relations(model, full_text(memory), list(map(full_text, older)))
    return [
        Link(kind, memory.id, older[index].id, verdict.confidence, verdict.reason)
        for index, verdict in verdicts.items()
        if (kind := link_kind(verdict))
    ]


def judge_all_with_model(runtime: Runtime) -> None:
    """Judge the links of every bank. After a failure the model is paused for a while."""
    now = runtime.clock.now()
    if runtime.llm() is None or now < int(banks.store_info(runtime.db, _MODEL_PAUSED_UNTIL) or 0):
        return
    for bank in banks.list_banks(runtime.db, _BANKS_MAX):
        try:
            judge_with_model(runtime, bank.id)
        except ModelFailed:
            with runtime.db.transaction():
                banks.put_store_info(runtime.db, _MODEL_PAUSED_UNTIL, str(now + _MODEL_PAUSE_MS))
            return
