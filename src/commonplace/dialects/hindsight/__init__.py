"""Hindsight: banks of facts. Retain texts, recall facts, reflect on them, keep mental models of
them.
"""

from commonplace.dialects.dialect import Dialect, rows
from commonplace.dialects.hindsight import banks, corrections, knowledge, memories
from commonplace.dialects.hindsight import reflection as standing
from commonplace.dialects.hindsight.registration import narrowed, not_allowed, refused, unknown

DIALECT = Dialect(
    name="hindsight",
    title="Hindsight",
    instructions=(
        "Long-term memory. Recall before answering what may have come up before; retain what should"
        " be known later."
    ),
    tools=rows(
        memories.retain,
        memories.sync_retain,
        memories.recall,
        standing.reflect,
        standing.create_mental_model,
        standing.list_mental_models,
        standing.get_mental_model,
        standing.update_mental_model,
        standing.delete_mental_model,
        standing.refresh_mental_model,
        standing.clear_mental_model,
        banks.list_banks,
        banks.create_bank,
        standing.list_directives,
        standing.create_directive,
        standing.delete_directive,
        memories.list_memories,
        memories.get_memory,
        corrections.update_memory,
        corrections.invalidate_memory,
        memories.list_documents,
        memories.get_document,
        memories.delete_document,
        banks.list_operations,
        banks.get_operation,
        banks.cancel_operation,
        memories.list_tags,
        banks.get_bank,
        banks.get_bank_stats,
        banks.update_bank,
        banks.delete_bank,
        banks.clear_memories,
        knowledge.get_knowledge_base_tree,
        knowledge.search_knowledge_base,
        knowledge.get_knowledge_page,
        knowledge.create_knowledge_folder,
        knowledge.create_knowledge_page,
        knowledge.update_knowledge_node,
        knowledge.delete_knowledge_node,
    ),
    failure=refused,
    guided=("retain", "recall"),
    bank="bank_id",
    narrowed=narrowed,
    not_allowed=not_allowed,
    unknown=unknown,
)
