"""The real server, which believes a file gone after two seconds: `python -m tests.dialects.vault_hasty_server PORT`."""

import sys

from commonplace.faces.http import serve
from commonplace.settings import load
from commonplace.vault import sync, writing


def main() -> None:
    sync.GRACE_MS = writing.GRACE_MS = 2_000
    serve.run(load(), port=int(sys.argv[-1]))


if __name__ == "__main__":
    main()
