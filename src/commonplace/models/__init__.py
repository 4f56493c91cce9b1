"""Models: what turns text into vectors."""

import os

# Both libraries start a thread per core unless told otherwise. numpy's spin between our small
# products, which makes a search three times as dear; it reads this once, when it is first imported,
# and that happens in this room.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
