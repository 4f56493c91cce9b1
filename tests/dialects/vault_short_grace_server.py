"""The real server, with two seconds instead of ninety before a missing file is forgotten: `python
-m tests.dialects.vault_short_grace_server PORT`.
"""

import sys

from commonplace.faces.http import server
from commonplace.settings import load
from commonplace.vault import memory_to_file
from commonplace.vault.folder import missing_files


def main() -> None:
    missing_files.GRACE_MS = memory_to_file.GRACE_MS = 2_000
    server.run(load(), port=int(sys.argv[-1]))


if __name__ == "__main__":
    main()
