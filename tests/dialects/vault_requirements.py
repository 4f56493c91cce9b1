"""What the vault's page promises, sentence by sentence, and what the issue decided where the page
is silent.
"""

from tests.dialects.requirements import Requirement

_PAGE = "contract/vault.md"
_OURS = "issue 7"


def _page(name: str, text: str, divergence: str | None = None) -> Requirement:
    return Requirement(f"vault:{name}", _PAGE, text, divergence)


def _ours(name: str, text: str) -> Requirement:
    return Requirement(f"vault:{name}", _OURS, text)


REQUIREMENTS = (
    _page("tools", "There are four tools, with the parameters and defaults of the page."),
    _page("names", "Tool names use snake_case and no dots."),
    _page("token", "All tools require Authorization: Bearer <token> on the request."),
    _page("binds", "The server binds 127.0.0.1:7821 when it is told to serve the vault there."),
    _page("search", "memory_search searches the vault by semantic similarity."),
    _page("search:top-k", "top_k is the most results, 5 unless told."),
    _page("search:include-deleted", "include_deleted includes soft-deleted entries."),
    _page("search:order", "Results are ordered by descending similarity score."),
    _page(
        "search:entry",
        "Each entry has id, title, body, score, tags, status, created_at and updated_at.",
    ),
    _page(
        "search:array",
        "memory_search returns an array of memory objects.",
        "an object with `results` and `next_cursor`, because an array cannot carry a cursor",
    ),
    _page(
        "search:cursor",
        "If more results exist, the response includes next_cursor, which pages forward.",
    ),
    _page("search:exhausted", "An absent or null next_cursor means the result set is exhausted."),
    _ours(
        "search:cursor-bound",
        "A cursor is bound to its query; a foreign or tampered one is refused.",
    ),
    _ours(
        "search:cursor-steady",
        "What is added or forgotten between pages repeats and skips nothing else.",
    ),
    _ours(
        "search:rare",
        "Rare words of title, tags and any place in the body are found at once, in any script.",
    ),
    _page("recall", "memory_recall returns a single markdown string for one or more phases."),
    _page("recall:budget", "The bundle is trimmed to budget_tokens, 4096 unless told."),
    _page(
        "recall:order",
        "Entries are ordered by phase relevance and lower ones are dropped until the bundle fits.",
    ),
    _page(
        "recall:key",
        "Repeated calls with the same key return the cached bundle without scoring again.",
    ),
    _page("recall:fresh", "Without a key every call scores afresh."),
    _ours(
        "recall:prefix",
        "Kept entries are a prefix of the ranking, and a larger budget never loses one.",
    ),
    _ours(
        "recall:phases",
        "Phases match by tag, frontmatter or meaning; unknown phases are used as words.",
    ),
    _ours("recall:refused", "A budget of zero or less and empty phases are errors."),
    _page(
        "append",
        "memory_append writes a new entry and returns id, title, status active and created_at.",
    ),
    _page("append:stem", "The title is used as the file name's stem."),
    _page("append:tags", "tags are optional labels."),
    _page(
        "append:key",
        "The same key in the current session returns the existing entry unchanged, not 409.",
    ),
    _page("append:concurrent", "The key deduplicates concurrent writes."),
    _ours("append:scope", "Keys are per session and tool."),
    _ours("append:crash", "A retry after a crash makes no second entry, and every file parses."),
    _ours("append:forgotten", "After a forget nothing is called active that search cannot find."),
    _ours(
        "append:exact",
        "Titles and bodies come back exactly; control characters and empty titles are refused.",
    ),
    _ours(
        "append:file",
        "The file is on disk when the answer comes, with our frontmatter and a portable name.",
    ),
    _ours("append:never-overwrite", "Nothing is overwritten; a taken name gets a number."),
    _page(
        "forget",
        "memory_forget soft-deletes and returns id, status deleted and deleted_at in ISO 8601.",
    ),
    _page(
        "forget:file",
        "The backing file is never unlinked; status flips to deleted and deleted_at is stamped.",
    ),
    _page(
        "forget:hidden",
        "The entry is excluded from all responses unless include_deleted is passed to search.",
    ),
    _page(
        "forget:undelete",
        "An operator can un-delete by flipping status back in the vault directly.",
    ),
    _page(
        "forget:race",
        "A status flip is a content update of the same file, so nothing is resurrected.",
    ),
    _page("forget:audit", "The full audit trail is preserved."),
    _ours("forget:twice", "A second forget succeeds with the same deleted_at."),
    _ours("forget:edited", "An edit of the words at the same moment does not undo a forget."),
    _ours("erased", "A note or a bank that is erased for good takes its files with it."),
    _ours(
        "erased:own",
        "A file that a person made is never removed; it is not read again until it is changed.",
    ),
    _page("error:401", "A missing or invalid bearer token is 401."),
    _page("error:403", "A failed Origin validation is 403."),
    _page(
        "error:404",
        "A memory id that does not exist is 404.",
        "404 and 409 are tool errors with the number in their JSON, because HTTP 404 would end the"
        " session",
    ),
    _page("error:409", "A key reused with different content is 409, and writes nothing."),
    _ours("error:title", "A title is not an id."),
    _ours(
        "error:order",
        "403 comes before 401 on every path, and 401 carries WWW-Authenticate: Bearer.",
    ),
    _ours(
        "error:local",
        "A page of this machine, on any port, may ask with the token, as the original lets it.",
    ),
    _ours(
        "sync:seen",
        "A change made in the folder shows within a few seconds, without a call that looks for it.",
    ),
    _ours(
        "sync:crowd",
        "500 files dropped in and 250 removed during queries end in the state of a fresh rebuild.",
    ),
    _ours("sync:grace", "A vanished file is believed gone only after a grace time."),
    _ours(
        "sync:people",
        "Notes that people add, edit, un-delete or remove in the folder become versions.",
    ),
    _ours(
        "sync:replace",
        "A file that a sync client replaces by removing and creating it is the same note.",
    ),
    _ours(
        "sync:id", "An id survives rename, move, change of case or spelling, and a brief absence."
    ),
    _ours(
        "sync:copy",
        "A conflict copy is recognised, reported, never merged silently, and never shares an id.",
    ),
    _ours("sync:passed", "Temporary files and dot folders are passed over, and so are links."),
    _ours("sync:links", "Nothing is read or written through a link that leaves the folder."),
    _ours("sync:cloud", "A file that a client keeps only in the cloud for now is not gone."),
    _ours(
        "file:foreign",
        "Unknown keys, comments, order, line ends and body bytes survive every change of ours.",
    ),
    _ours(
        "sync:start",
        "Folder and memories are compared at start, keys and bundles outlive the server.",
    ),
    _ours("sync:status", "The status in the file wins."),
    _ours(
        "file:portable",
        "File names are portable across Linux, macOS and Windows, from any title in any script.",
    ),
    _ours(
        "file:times", "The file has id, exact title, status, tags, and times to the millisecond."
    ),
    _ours("arguments", "Unknown arguments are refused, as the server of that release does."),
    _ours("cli", "`commonplace vault status`, `sync` and `adopt` are there for people."),
    _ours("sync:broken", "One broken file hides nothing else, and doctor lists it."),
    _ours(
        "sync:dialects",
        "Notes are found, edited and forgotten through other dialects, and the file follows.",
    ),
    _ours("stdio", "The four tools work over standard input and output."),
)
