"""Which REST interface a path belongs to."""

OURS = "commonplace-rest"
IMPORT = ["api", "v1", "import"]


def api_of(names: list[str]) -> str:
    """The interface that has a path: ours, or that of the product whose dialect has this name."""
    match names:
        case ["v1", "default", *_] | ["v1", "banks" | "bank-template-schema", *_]:
            return "hindsight"
        case ["health", "live"]:
            return "hindsight"
        case ["v1" | "v2" | "v3", *_]:
            return "mem0"
        case ["mem0", "memories" | "search" | "reset" | "configure", *_]:
            return "mem0"
        case ["api", "v1", "jobs", item] if item:
            return ""  # A page of the server, with the bank in a header.
        case ["api", "v1", "memories" | "keypaths", *_]:
            return "memstate"
        case ["api" | "openapi.json"] | ["api", "v1", *_]:
            return OURS
        case _:
            return ""
