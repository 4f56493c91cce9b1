"""The server with the parser that is used where the faster one cannot be installed."""

import sys

# Python takes a module whose place is empty for one that is not installed.
sys.modules["httptools"] = None  # type: ignore[assignment]

from tests.faces.http_server import main  # noqa: E402

if __name__ == "__main__":
    main()
