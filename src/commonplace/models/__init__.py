"""Models: embedder, reranker and language model."""

import os

# Both libraries start a thread per core by default. The threads of numpy spin between our small
# products, which makes a search three times as slow. numpy reads the variable when it is first
# imported, which happens in this package.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
