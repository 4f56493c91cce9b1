"""Models: what turns text into vectors."""

import os

# numpy's matrix library starts a thread per core and lets them spin between our small products: three times the work
# for no gain. It reads this once, when numpy is first imported, which happens in this room.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
