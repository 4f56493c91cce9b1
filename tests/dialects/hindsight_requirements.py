"""What Hindsight promises: the sentences of its contract page, and the points its issue decides."""

from tests.dialects.requirements import Requirement

_PAGE, _ISSUE = "contract/hindsight.md", "issue 8"


def _promises(source: str, table: str) -> tuple[Requirement, ...]:
    """A line a promise: id, sentence, and after a second bar what we do instead."""
    rows = [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]
    return tuple(
        Requirement(f"hindsight:{row[0]}", source, row[1], row[2] if len(row) > 2 else None)
        for row in rows
    )


_CONTRACT = _promises(
    _PAGE,
    """
    modes:tools | Multi-bank has all tools, single-bank all without list_banks, create_bank and get_bank_stats.
    modes:bank-id | Multi-bank tools take an optional bank_id, single-bank tools none.
    modes:isolation | A connection to one bank sees and changes that bank only.
    tools:parameters | Every tool has the parameters of the page, with their types and defaults.
    tools:annotations | Reading tools are marked read-only, deleting and clearing ones destructive, none open-world.
    tools:instructions | The deployment's instructions are appended to what retain and recall say of themselves.
    http:curl | The request of the page, with no session, is answered; each bank has an endpoint of its own.
    http:mounted | The MCP server is on by default at /mcp, with an endpoint for each bank at /mcp/{bank_id}/.
    http:enabled | HINDSIGHT_API_MCP_ENABLED=false takes the endpoints away.
    http:open | Without a key the endpoints are open.
    http:key | With a tenant key a request without it is 401.
    http:bank-order | The bank is that of the path, else of the header, else of the environment.
    retain:asynchronous | retain answers with an operation that stores the memory.
    retain:context | The context is general unless told, and is kept.
    retain:timestamp | The timestamp says when the event occurred.
    retain:tags | Tags are kept for filtering.
    retain:metadata | Metadata is attached.
    retain:document | A document id associates the memory with a document.
    sync-retain:readable | What sync_retain stored is found by recall at once.
    recall:query | recall finds memories by a question in natural language.
    recall:max-tokens | No more than max_tokens come back, 4096 unless told.
    recall:budget | The budget is low, mid or high.
    recall:types | types filters by fact type.
    recall:tags | tags and tags_match filter by tags.
    recall:query-timestamp | query_timestamp anchors relative times.
    recall:min-scores | min_scores sets floors, inclusive and all of them at once.
    reflect:synthesis | reflect answers a question from stored memories.
    reflect:schema | With a response schema the answer has structured_output.
    reflect:tags | tags filter what is reflected on.
    reflect:trace | The trace comes only when asked for.
    model:create | A mental model is created with an id of the caller's or a made one, and an operation.
    model:asynchronous | Content is made asynchronously, and the operation_id of the answer tracks it.
    model:list | Mental models are listed, by tags where asked.
    model:get | A mental model is read with its full content.
    model:update | A mental model's name, query, tags, tokens and trigger can be changed.
    model:delete | A mental model can be deleted for good.
    model:refresh | A refresh makes the content again from the latest memories.
    model:clear | Clearing takes the content away and keeps the definition.
    model:auto-refresh | A model that asks for it is refreshed after consolidation.
    banks:list | list_banks lists all banks.
    banks:create | create_bank makes a bank or returns the one there is.
    banks:get | get_bank tells name, mission and disposition.
    banks:stats | get_bank_stats counts nodes and links.
    banks:update | update_bank changes the name and the configuration fields given, and nothing else.
    banks:mission | mission is another name for config_updates.reflect_mission.
    banks:config | Every field of the page is accepted, other fields and credentials are refused.
    config:reflect_mission | A mission for reflecting.
    config:retain_mission | A mission that steers what is extracted.
    config:retain_extraction_mode | concise, verbose or custom.
    config:retain_custom_instructions | Instructions for the mode custom.
    config:retain_chunk_size | The most characters of a chunk.
    config:retain_structured_chunk_size | The most characters of a line or turn that is kept whole.
    config:retain_chunk_batch_size | How many chunks are worked on at once.
    config:enable_observations | Whether facts are consolidated.
    config:observations_mission | Rules for what observations say.
    config:disposition_skepticism | Critical evaluation, 1 to 5.
    config:disposition_literalism | Literal or abstract, 1 to 5.
    config:disposition_empathy | Emotional context, 1 to 5.
    config:entity_labels | A vocabulary for entities.
    config:entities_allow_free_form | Whether other labels are allowed.
    config:recall_include_chunks | Whether recall brings raw chunks.
    config:recall_max_tokens | The most tokens of a recall.
    config:mcp_enabled_tools | The tools a bank allows.
    banks:delete | delete_bank deletes a bank with everything in it.
    banks:clear | clear_memories clears all memories, or those of one type, and keeps the bank.
    banks:allowlist | mcp_enabled_tools limits the tools of a bank.
    directives:create | A directive has a name, a content, a priority, tags and whether it is active.
    directives:order | A higher priority is more important.
    directives:list | Directives are listed by tags, active ones unless told otherwise.
    directives:delete | A directive can be deleted.
    memories:list | Memories are browsed by type and words, with limit and offset.
    memories:get | A memory is read by its id.
    documents:list | Documents are listed, by words where asked.
    documents:get | A document is read by its id, with its metadata.
    documents:delete | Deleting a document deletes the memories linked to it.
    operations:list | Operations are listed by status.
    operations:get | The status and details of an operation can be read.
    operations:cancel | A pending or running operation can be cancelled.
    tags:list | Tags are listed, by a glob pattern where asked.
    """,
)
_DECIDED = _promises(
    _ISSUE,
    """
    shapes:two | One bank answers with objects, many banks with the same JSON in a string; the retains with objects.
    http:keys | The tenant's key and that of the server both guard the endpoints, and /health stays open.
    shapes:failures | Failures are part of the answer; wrong arguments are errors.
    shapes:tolerant | JSON in strings and stray arguments are tolerated.
    banks:unwritten | Reading a bank nobody wrote to finds nothing or says so, and does not make it.
    banks:implicit | A write to a bank that is not there makes it, with a disposition of threes.
    banks:allowlist-holds | A bank's allowlist holds whichever way the bank is named.
    banks:erased | A bank deleted leaves none of its text in the database file.
    retain:facts | A text is cut into statements with the date they speak of, entities and a fact type.
    retain:replace | The same document id replaces what changed and keeps what did not.
    retain:append | Append mode adds to the document.
    retain:identical | Identical text changes nothing.
    retain:proof | A fact told again raises its proof count.
    recall:tag-modes | The five tag modes choose as the original's do.
    recall:near-duplicates | Among 200 near-duplicates the one named is first at least 45 times of 50.
    recall:nothing | Nothing relevant is an empty list.
    recall:window | A time in the question finds what is of that time.
    recall:includes | Chunks, entities and source facts come when asked for.
    observations:grouped | Facts about one subject become an observation with its sources, current value first.
    observations:follow | When any dialect forgets, revises, restores or purges a fact, observations follow at once.
    model:follow | Models are stale when a fact they rest on changes; nothing in one survives the purge of its fact.
    observations:switch | A bank can switch observations off.
    documents:nothing-survives | Nothing derived from a deleted document survives.
    reflect:grounded | Every line cites its memories, contradictions are named, and what is not known is said.
    reflect:model | A model's sentences must cite what it was shown; when it fails the extract comes with a note.
    model:stale | A model is stale when something that it is about was written since.
    model:cron | A trigger's schedules, five fields in UTC, make a model again.
    model:interval | A model is not made again by itself more often than its trigger or its bank says.
    model:trigger | A trigger says what a model is made of; every field is checked, and on update it is a patch.
    model:history | What a model said before is kept.
    operations:soon | Operations of small work are done within a second or two.
    observations:mission | With a model, observations are told as the bank's mission wants, from their facts only.
    operations:running | The status running is understood, and so is processing.
    """,
)
_SENTENCES = _promises(
    _PAGE,
    """
    retain:content | retain stores its content.
    retain:async-parameters | retain takes context, timestamp, tags, metadata and document_id.
    sync-retain:parameters | sync_retain takes what retain takes, and says when to prefer which.
    recall:max-tokens-default | max_tokens is 4096 and budget is high unless told.
    recall:types-default | All types come unless some are asked for.
    recall:recency | query_timestamp anchors recency.
    recall:min-scores-stages | Floors of keyword and semantic cut their stage, those of reranker and final every result.
    reflect:tags-match | tags_match says how the tags of a reflection match.
    reflect:defaults | Without a schema and a trace the answer has neither.
    documents:limit | Documents are listed 100 at a time unless told.
    documents:metadata | A document is read with its metadata.
    """,
) + _promises(
    _ISSUE,
    """
    retain:dates | Relative dates are reckoned from the timestamp.
    retain:entities | Names, places, products, amounts and identifiers are entities.
    retain:causes | A cause is a link where the text says so.
    retain:links | Entity, temporal and semantic links are counted as they are, and go with their facts.
    retain:labels | Labels with a vocabulary are found in the words without a model.
    recall:graph | Links are followed, and a neighbour never stands before a direct hit.
    recall:trace | A trace tells what each stage made of a result.
    recall:trace-dropped | A trace tells what was found and left out, and why.
    reflect:trace-dropped | The trace of a reflection tells what each search left out, and why.
    recall:budget-depth | The budget says how far is looked.
    recall:tag-groups | Tag groups are trees of and, or and not.
    recall:newest | The newest value of a thing stands before the older ones.
    recall:window-ranks | A window of time ranks and hides nothing.
    reflect:fills | A schema is filled from facts with the newest truth.
    """,
)
_WITH_A_MODEL = _promises(
    _ISSUE,
    """
    retain:model | With a model, the model finds the facts with their dates, types, entities and causes.
    retain:wishes | The model is told the bank's mission, mode, instructions and labels, and its labels are checked.
    retain:model-fails | Where the model fails, the rules find the facts and a note says why.
    retain:model-chunks | Only the parts of a document that changed are read again.
    retain:model-async | An asynchronous retain is readable at once and is read by the model afterwards.
    reflect:loop | The model may search again in its own words over the same retrieval.
    reflect:budget | The budget says how far a reflection goes.
    reflect:personality | The bank's mission, disposition and directives are in what the model is told.
    reflect:context | The context says why a reflection is needed.
    reflect:citations | Only memories that were retrieved are cited.
    reflect:structured | A structured output fits its schema, or is null with the reason.
    reflect:model-fails | Where the model fails, the extract comes with a note.
    reflect:max-tokens | An answer has no more than max_tokens.
    """,
)
_NEWEST = _promises(
    "version 1.1.0",
    """
    update:fields | update_memory changes the text, context, dates, fact type and entities given; empty clears a date.
    update:follows | Search, entities and observations follow an update, and a document told again does not undo it.
    update:refused | Nothing to change, an observation, an unknown memory and dates out of order are refused.
    update:elsewhere | What another dialect wrote is updated and keeps its kind and its metadata.
    invalidate:hides | invalidate_memory hides a memory everywhere, keeps the reason, and restore brings it back.
    corrections:walls | Corrections reach neither another bank nor another user, and an allowlist holds for them.
    knowledge:page | A page is made from the memories its question and tags mean, and read as markdown with sources.
    knowledge:tree | The tree shows folders and pages, with each page's trigger and whether it is stale.
    knowledge:search | Pages are found by their words and by the memories they rest on; strangers are not found.
    knowledge:follows | A page follows its memories, whoever changes them, or is stale until its turn comes.
    knowledge:update | A node is renamed and moved; a page gets another question, tags, tokens or trigger.
    knowledge:delete | Deleting a folder deletes everything below it, and no memory.
    knowledge:refused | Twins in a folder, unknown nodes, cycles, too deep a tree and wrong options are refused.
    knowledge:walls | A bank sees and changes its own knowledge base only, and its allowlist holds.
    knowledge:carried | The knowledge base is carried by an export and deleted with its bank.
    corrections:history | Every correction stays in the memory's history with its author and reason.
    """,
)
REQUIREMENTS = _NEWEST + _CONTRACT + _DECIDED + _SENTENCES + _WITH_A_MODEL
