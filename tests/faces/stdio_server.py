"""The real loop on standard input and output with the dialect for tests; the argument is the one
bank, if any.
"""

import os
import sys

from commonplace import settings
from commonplace.faces.mcp import stdio
from tests.faces.sample_dialect import DIALECT

BANK = sys.argv[1] if len(sys.argv) > 1 else ""

sys.exit(
    stdio.run(DIALECT, settings.load(), stdio.Target(BANK or "default", bool(BANK), os.getcwd()))
)
