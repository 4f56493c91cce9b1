"""Tries the server with the world's own clients: the conformance suite, SDKs, and agents whose
model is a stand-in.

Everything runs on this machine alone; nothing here is shipped, and `make test` does not need it.
"""
