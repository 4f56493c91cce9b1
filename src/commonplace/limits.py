"""Every limit, in one place. A request over one of them is refused whole; nothing is cut silently."""

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
REASON_CHARS_MAX = 1_000
QUERY_CHARS_MAX = 10_000
FILTER_VALUES_MAX = 1_000
FILTER_DEPTH_MAX = 20
LIST_MAX = 1_000
BULK_MAX = 10_000
RECALL_MAX = 200
STREAM_CHUNKS_MAX = 10_000
STREAM_IDLE_MS_MAX = 24 * 3_600_000  # a stream nobody touched for this long is gone
SNAPSHOT_EVENTS_MAX = 1_000
SLUG_CHARS_MAX = 80
JOB_ATTEMPTS_MAX = 10
JOB_BYTES_MAX = 4_000_000  # what a job is asked to do, and what it answers
COUNT_MAX = 2**53 - 1  # offsets, and numbers that callers count for themselves
