"""How the reader was made: the small network that reads a question and a memory together
(`models/reranker.py`).

`python -m evals.reader` writes its weights anew; see README.md beside this file.
"""
