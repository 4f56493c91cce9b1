"""The REST interface: the engine's verbs over HTTP, and the REST interfaces of other products."""
