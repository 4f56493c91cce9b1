"""The web pages: what a person sees of the memory in a browser, served by `commonplace serve`."""
