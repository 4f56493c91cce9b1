"""What Memstate promises: every sentence of its contract page, and every point its issue
decides.
"""

from tests.dialects.requirements import Requirement

_PAGE, _ISSUE = "contract/memstate.md", "issue 4"


def _promises(source: str, table: str) -> tuple[Requirement, ...]:
    """A line a promise: id, sentence, and after a second bar what we do instead."""
    rows = [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]
    return tuple(
        Requirement(f"memstate:{row[0]}", source, row[1], row[2] if len(row) > 2 else None)
        for row in rows
    )


_CONTRACT = _promises(
    _PAGE,
    """
    tools:seven | There are seven tools, with the names of the page.
    tools:quick-start | Check, save a summary, set one value, find by meaning: the four calls of the page work.
    tools:remember-is-preferred | Clients are told to use remember for markdown and set for one value only.
    keypath:dot-paths | Keypaths are hierarchical paths with dots.
    keypath:auto-prefix | With a project id the keypath `database` becomes `project.myapp.database`.
    project:hyphens | Project ids can contain hyphens.
    get:parameters | get has the seven parameters of the page, with their types and defaults.
    get:lists-projects | With no argument it lists all projects.
    get:project-tree | With a project id it shows the full tree of the project.
    get:subtree | With a keypath it shows the subtree there.
    get:single-memory | With a memory id it shows that memory.
    get:memory-id-alone | A memory id is exclusive with the other parameters.
    get:recursive | The subtree is included when browsing by keypath, unless recursive is false.
    get:include-content | Full contents come only when include_content asks for them.
    get:content-limit | At most content_limit memories are hydrated, 200 unless told.
    get:at-revision | at_revision travels to a revision of the project.
    get:answer | memories is a map of full keypath to summary, with total_count and revision_number.
    search:parameters | search has the six parameters of the page, with their types and defaults.
    search:by-meaning | Memories are found by meaning.
    search:summaries | Results are ranked summaries, and memstate_get with the id has the full content.
    search:query-required | The query is required.
    search:project | project_id filters by project.
    search:limit | At most limit results come back: 20 unless told, never over 100.
    search:categories | categories filters by category.
    search:keypath-prefix | The prefix `auth` matches `auth.provider`.
    search:include-superseded | Older versions come only when include_superseded asks for them.
    search:answer | A result has id, summary, keypath, score, version, created_at; beside them total_found and query.
    remember:parameters | remember has the four parameters of the page, with their types.
    remember:creates-project | A new project is created on the first write.
    remember:content-limit | The content has at most 100,000 characters.
    remember:extracts | The server finds the keypaths and creates structured memories.
    remember:source | source says where the text comes from.
    remember:context | context is a hint that guides the extraction.
    remember:answer | The answer has a job id, the status pending and the message of the page.
    remember:versions | Conflicts are detected and versions made automatically.
    conflict:none | New information is stored without superseding.
    conflict:supersede | Outdated information is replaced.
    conflict:contradiction | Both versions are stored and the newer one takes precedence.
    set:parameters | set has the five parameters of the page, with their types.
    set:one-value | It sets one keypath to a value.
    set:creates-project | A new project is created on the first write.
    set:value-limit | The value has at most 2,000 characters.
    set:category | The category is one of the nine of the page.
    set:topics | Topics are additional tags.
    set:answer | The answer has memory_id, action, version and the message of the page.
    history:parameters | history has the three parameters of the page.
    history:by-keypath | It shows every version of a keypath.
    history:by-memory | It shows the chain of a memory by id.
    history:not-both | Either project id and keypath or a memory id, not both.
    history:chronological | Versions come in chronological order.
    history:answer | A version has id, summary, version, created_at, superseded_by; beside them total_versions.
    delete:parameters | delete has the three parameters of the page, and is not recursive unless told.
    delete:tombstone | A tombstone version is created and the full history stays.
    delete:undelete-by-set | Setting a new value at the same keypath brings it back.
    delete:undelete-by-remember | Remembering a value at the same keypath brings it back.
    delete:recursive | With recursive the whole subtree is deleted.
    delete:answer | The answer has deleted_keypaths, deleted_count and the message of the page.
    delete:visible-in-history | The deletion is visible in the history.
    delete-project:parameters | delete_project has the one parameter of the page.
    delete-project:tombstones | Every memory gets a tombstone of its own.
    delete-project:hidden | The project is hidden from listings.
    delete-project:history | The history of any of its keypaths includes the deletion.
    delete-project:answer | The answer has project_id, deleted_keypaths, deleted_count and the message of the page.
    envelope:keys | Every answer has ok, schema_version 1, tool, operation, request, data and meta.
    envelope:request | request is an echo of the input.
    envelope:meta | meta has what was resolved, such as resolved_keypath and mode.
    """,
)

_DECIDED = _promises(
    _ISSUE,
    """
    envelope:twice | Structured content and text are the same JSON.
    envelope:failure | A failure is in the envelope: ok false, error with code and message, isError, the sentence first.
    envelope:operations | Operations have the names the original sends.
    search:flat-and-nested | A result has the flat keys of the page and the nested memory of the live server.
    history:links | A version has superseded_by and supersedes_id, is_latest and is_deleted.
    keypath:normalised | Case, slash, and hyphen and space inside a segment are evened.
    keypath:prefixed-once | A keypath that has the prefix is not prefixed again, and works wherever the short one does.
    keypath:foreign-prefix | The prefix of another project is refused.
    keypath:whole-segments | `a` never matches `ab`.
    keypath:no-wildcards | `_` and `%` are never wildcards.
    project:any-id | Ids with hyphen, dot, slash and capitals work in every tool alike.
    project:apart | `iso` and `iso.b` stay apart.
    project:hyphen-stays | The hyphen of a project id stays in the keypath.
    project:newest-first | Projects are listed newest activity first.
    chain:one-live-row | A keypath has one chain of versions and one live row, always.
    revision:every-call | Every mutating call by any dialect on a project is a revision.
    revision:exact | at_revision shows exactly the state after it, for tree, subtree and single memory, for ever.
    revision:zero | Revision 0 is empty.
    revision:beyond | A revision beyond the newest is an error.
    chain:unchanged | An identical write is `unchanged`, with no new version.
    chain:revival | After a deletion the numbering goes on.
    delete:twice | Deleting twice is ok, with count 0.
    delete-project:past-survives | The past survives delete_project and revival.
    version:own-id | Each version has its own mem_ id, returned by set and readable by id; a tombstone is a version.
    remember:headings | Headings become keypaths.
    remember:lists | Nested lists become keypaths.
    remember:labels | `label: value`, bold labels and `key = value` become keypaths with verbatim values.
    remember:tables | Tables become keypaths with verbatim values.
    remember:sentences | Plain sentences become keypaths with verbatim values.
    remember:code-and-quotes | Code fences and quotes are values.
    remember:every-line-once | Every source line ends in exactly one memory.
    remember:locality | Only keypaths that the text names change.
    remember:idempotent | The same document again changes nothing.
    remember:one-edit | One edited line changes one keypath.
    remember:hints-kept | Source and context are kept and guide the placement.
    conflict:visible | The class (none, additive, supersede, contradiction) and a reason are visible in history.
    remember:readable-next | The result is readable on the next call.
    remember:job-outcome | The outcome of the job can be asked for, through /api/v1/jobs/ID as well.
    remember:model | A model proposes keypaths only.
    search:intersection | All filters combine as intersection.
    search:total-found | total_found is the number that matches, not the number returned. | It stops counting at 200.
    search:empty-query | An empty query lists by keypath.
    thrift:summaries | A summary is the text up to 100 bytes, else cut at the last space, with three dots.
    thrift:truncated | A tree of 10,000 keys stays useful: a truncated mark says how to narrow it.
    clients:sixteen | Sixteen clients on one keypath make sixteen versions, one of them the latest.
    http:api-key | COMMONPLACE_API_KEY is accepted as Bearer and as X-API-Key.
    clients:second-process | A second process on the same home sees a write at once.
    clients:model | Several clients agree with a list of versions: get, history, search and every earlier revision.
    others:visible | What other dialects remember in a project can be read, revised and deleted; history says by whom.
    others:users | Other users' memories never show.
    """,
)

REQUIREMENTS = _CONTRACT + _DECIDED
