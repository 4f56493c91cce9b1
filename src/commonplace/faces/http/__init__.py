"""The server on HTTP: who may come in, where a path leads, and how a call gets from a request to a
tool and back.
"""
