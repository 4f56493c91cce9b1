"""What PowerMem promises: every sentence of its contract page, and every point its issue
decides.
"""

from tests.dialects.requirements import Requirement

_PAGE, _ISSUE = "contract/powermem.md", "issue 6"


def _promises(source: str, table: str) -> tuple[Requirement, ...]:
    """A line a promise: id, sentence, and after a second bar what we do instead."""
    rows = [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]
    return tuple(
        Requirement(f"powermem:{row[0]}", source, row[1], row[2] if len(row) > 2 else None)
        for row in rows
    )


_CONTRACT = _promises(
    _PAGE,
    """
    run:module | The server runs as a Python module. | The module is commonplace.mcp, not powermem.mcp.
    run:config | --config names a JSON file.
    run:env | --env names an environment file.
    run:script | It runs as a script from the source tree. | Only as a module; the script's path is PowerMem's own.
    run:client-environment | Clients start it with LLM_, EMBEDDING_ and DATABASE_ variables as on the page.
    tools:seven | There are seven tools, with the names of the page.
    add:parameters | add_memory has the eight parameters of the page.
    add:text | Messages can be a string.
    add:object | Messages can be a single message with role and content.
    add:list | Messages can be a list of messages in OpenAI format.
    add:user | user_id is optional, and filled in when it is not given.
    add:agent | agent_id tells agents apart.
    add:run | run_id tells conversations apart.
    add:metadata | Metadata is kept.
    add:scope | scope is the memory's scope.
    add:memory-type | memory_type classifies the memory.
    add:filters | filters are kept for advanced filtering. | They are kept like metadata; the original dropped them.
    add:example | The example of the page works.
    search:parameters | search_memories has the seven parameters of the page.
    search:both-ways | Memories are found by semantic similarity and by keywords.
    search:query-required | The query is required.
    search:scoped | user_id, agent_id and run_id filter memories.
    search:limit | At most limit results come back, 10 unless told. | Never more than 200.
    search:filters | filters narrow by metadata.
    search:threshold | Only results of at least the threshold, from 0 to 1, come back.
    search:example | The example of the page works.
    get:parameters | get_memory has the three parameters of the page, and needs an integer id.
    get:by-id | It retrieves one memory by its id.
    get:permission | user_id and agent_id are checked.
    update:parameters | update_memory has the five parameters of the page, and `expected_version`.
    update:content | It updates the content.
    update:metadata | It updates the metadata.
    update:permission | user_id and agent_id are checked.
    update:example | The example of the page works.
    delete:parameters | delete_memory has the three parameters of the page.
    delete:by-id | It deletes one memory by its id.
    delete:permission | user_id and agent_id are checked.
    delete-all:parameters | delete_all_memories has the three parameters of the page, none of them needed.
    delete-all:scoped | It deletes all memories of a user, an agent or a run.
    list:parameters | list_memories has the six parameters of the page.
    list:scoped | user_id, agent_id and run_id filter memories.
    list:limit | At most limit memories come back, 100 unless told.
    list:offset | offset pages through them.
    list:filters | filters narrow by metadata.
    resource:memory | powermem://memory is a resource of type application/json with a summary of the store.
    user:given | The user_id of the arguments is used when there is one.
    user:config | Otherwise that of ~/.powermem/config.json is used.
    user:fallback | Without that file the user is mcp_user.
    user:always | Every memory belongs to a user, also when the client names none.
    user:auto-created | config.json is created on the first run. | It is read, never written: the owner needs no file.
    protocol:version | The protocol version is 2024-11-05.
    protocol:stdio | It speaks JSON-RPC 2.0 on standard input and output.
    protocol:stderr | It logs to standard error.
    config:file-first | The file of --config is loaded first.
    config:env-file | Then that of --env.
    config:dot-env | Then .env in the current directory. | Only PowerMem's names, and no address of a model elsewhere.
    config:fallback | Without any configuration it works all the same.
    usage:examples | The three JSON-RPC requests of the page are answered.
    test:one-liner | The initialize request of the page, piped in, is answered.
    log:redirect | Standard error can be redirected, and standard output stays the protocol's.
    """,
)

_DECIDED = _promises(
    _ISSUE,
    """
    ids:exact | Ids are integers below 2^53; digit strings are accepted.
    ids:every-form | Ids as other dialects print them are accepted.
    ids:no-collision | 10,000 adds from two processes have 10,000 ids.
    envelope:twice | The envelope comes as JSON text and as structured content.
    envelope:add | add answers success, memory_id, message and data.results with an event each.
    envelope:lists | search answers results and count, list memories and count, delete deleted_id.
    envelope:failure | A failure has success false, error and error_type, and isError.
    honest:refused | A refused update or delete says so, and a memory that is not there is "Memory not found".
    resource:true-count | The resource has the true count of memories.
    protocol:methods | ping and the other methods are answered, notifications are not.
    protocol:malformed | A malformed line gets -32700.
    protocol:one-line | The one-liner prints exactly one line.
    config:both-generations | Both generations of names and keys are understood.
    config:unknown | Unknown ones are named in a warning on stderr, never a crash, and values are never shown.
    messages:multimodal | The text parts of multimodal content are kept.
    messages:roles | Roles are kept.
    messages:nothing-silent | Nothing is dropped silently.
    messages:empty | Messages without any text are refused.
    add:statements | Text is split into statements; questions, greetings and small talk are none.
    add:document | The whole text stays reachable as its document.
    add:none | The same statement again is NONE.
    add:update | A changed value is UPDATE, with the previous memory.
    add:add | Anything else is ADD.
    add:infer | infer false stores the text as it is, undivided.
    model:extracts | With a model it extracts and decides.
    model:checked | What a model says is checked.
    model:down | A model that is down costs nothing but its help, and the answer says so.
    model:slow | So does one that is slow.
    model:rubbish | So does one that answers rubbish.
    model:real | A real local model server was asked. | By hand only; the tests have a scripted one on a real wire.
    scope:isolates | user_id, agent_id and run_id isolate on every tool.
    scope:owner | The default user is the owner, whose memories the other dialects share.
    user:unusable-dir | An unusable POWERMEM_DIR means mcp_user.
    filters:operators | eq, ne, gt, gte, lt, lte, in, nin, like and ilike work, with a dollar sign too.
    filters:joined | AND and OR work, nested.
    filters:null | null is absent.
    filters:paths | Nested paths and lists work.
    filters:unknown | An unknown operator is a clear error.
    filters:own | memory_type, scope, created_at and the scope fields are filterable.
    threshold:exact | An exact match scores at least 0.7.
    threshold:calibrated | Every hit has a score from 0 to 1, and none below the threshold.
    shown:type-and-scope | memory_type and scope are stored and returned.
    fading:off | The forgetting curve is off by default.
    fading:ranks | Switched on, it ranks older memories lower, and reading changes nothing.
    list:stable | Pages are stable.
    list:lean | Answers have no vectors and no bookkeeping.
    tools:aliases | tools/list shows exactly the seven; get_memory_by_id and infer are understood.
    delete-all:complete | 2,500 rows of two users: delete-all of one leaves nothing of it and all of the other.
    """,
)

REQUIREMENTS = _CONTRACT + _DECIDED
