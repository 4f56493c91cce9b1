"""Hindsight: banks of facts. Retain texts, recall facts, reflect on them, keep mental models of
them.
"""

from commonplace.dialects.dialect import Dialect, rows
from commonplace.dialects.hindsight import (
    banks,
    corrections,
    documents,
    knowledge,
    memories,
    reflection,
)
from commonplace.dialects.hindsight.registration import (
    failure_reply,
    forbidden_tool_reply,
    restrict_to_allowlist,
    unknown_tool_reply,
)

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
        reflection.reflect,
        reflection.create_mental_model,
        reflection.list_mental_models,
        reflection.get_mental_model,
        reflection.update_mental_model,
        reflection.delete_mental_model,
        reflection.refresh_mental_model,
        reflection.clear_mental_model,
        banks.list_banks,
        banks.create_bank,
        reflection.list_directives,
        reflection.create_directive,
        reflection.delete_directive,
        memories.list_memories,
        memories.get_memory,
        corrections.update_memory,
        corrections.invalidate_memory,
        documents.list_documents,
        documents.get_document,
        documents.delete_document,
        banks.list_operations,
        banks.get_operation,
        banks.cancel_operation,
        documents.list_tags,
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
    failure=failure_reply,
    guided_tools=("retain", "recall"),
    bank="bank_id",
    restrict_to_allowlist=restrict_to_allowlist,
    forbidden_tool_reply=forbidden_tool_reply,
    unknown_tool_reply=unknown_tool_reply,
)
