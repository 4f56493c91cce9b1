"""All limits. A request over a limit is refused as a whole; nothing is truncated silently."""

TEXT_BYTES_MAX = 1_000_000
TITLE_CHARS_MAX = 500
NAME_CHARS_MAX = 200  # banks, projects, users, agents, runs, kinds, categories, documents, sessions
KEY_CHARS_MAX = 500
TAGS_MAX = 100
TAG_CHARS_MAX = 200
PATHS_MAX = 100
PATH_CHARS_MAX = 500
METADATA_BYTES_MAX = 64_000
CONFIG_BYTES_MAX = 64_000
SCHEMA_BYTES_MAX = 64_000  # a JSON Schema for an answer
REASON_CHARS_MAX = 1_000
QUERY_CHARS_MAX = 10_000
PATTERN_CHARS_MAX = 1_000  # a pattern with wildcards
FILTER_VALUES_MAX = 1_000
FILTER_DEPTH_MAX = 20
LIST_MAX = 1_000
BULK_MAX = 10_000
RECALL_MAX = 200
BRIEF_TOKENS_DEFAULT, BRIEF_TOKENS_MAX = 1_200, 20_000  # of the brief of a session
PHASES_MAX = 50  # phases of one search
STREAM_CHUNKS_MAX = 10_000
STREAM_IDLE_MS_MAX = 24 * 3_600_000  # a stream that is unused for this long is deleted
SNAPSHOT_EVENTS_MAX = 1_000
SLUG_CHARS_MAX = 80
JOB_ATTEMPTS_MAX = 10
JOB_BYTES_MAX = 4_000_000  # the input or the result of a job
COUNT_MAX = 2**53 - 1  # offsets and other numbers from callers
BODY_BYTES_MAX = (
    8_000_000  # the body of one HTTP request; a text of the largest size fits, with escapes
)
BODY_READ_S_MAX = 30  # how long a client may take to send it
HEAD_BYTES_MAX = 64_000  # the first line and the headers of an HTTP request
HEAD_READ_S_MAX = 10  # how long a client may take to send them
CALLS_MAX = 40  # tool calls that run at the same time in one server; further calls wait
CONNECTIONS_MAX = 1_000  # open HTTP connections, streams included
SESSIONS_MAX = 1_000  # open MCP sessions; further clients are served without a session
WEB_SESSION_S_MAX = 12 * 3_600  # a login in a browser that is unused for this long ends
SESSION_IDLE_S_MAX = 1_800  # a session that is unused for this long is closed
SHUTDOWN_S_MAX = 10  # how long a stopping server waits for running calls
LINE_BYTES_MAX = 10_000_000  # one message on standard input
CALLS_AT_ONCE_MAX = 8  # calls on standard input that run at the same time
CALLS_WAITING_MAX = 1_000  # calls on standard input that wait
STATEMENTS_MAX = 1_000  # statements in one list of messages
MODEL_CALL_S_MAX = 25  # one request to a language model; a tool call makes at most two
MODEL_BYTES_MAX = 1_000_000  # the answer of a language model
MODEL_TOKENS_MAX = 4_000
MODEL_TEXT_CHARS_MAX = (
    24_000  # the text in one request to a language model; longer texts are handled without it
)
FREE_BYTES_MIN = 8_000_000  # disk space reserved for forgetting and erasing; less for a small store
IMPORT_ITEM_CHARS_MAX = (
    64_000_000  # one conversation, row or line of an imported file; longer ones are reported
)
IMPORT_JSON_BYTES_MAX = 256_000_000  # an imported JSON file that cannot be read item by item
IMPORT_FILES_MAX = 200_000  # notes in an imported folder
