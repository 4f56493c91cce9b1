"""Lets the short-lived programs of a store use the server that runs on it already."""
