"""Measures what the engine finds and how fast, through its public API only. Not shipped."""
