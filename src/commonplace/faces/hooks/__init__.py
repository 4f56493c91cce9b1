"""`commonplace hook`: runs a hook for a client that starts a program at each event."""
