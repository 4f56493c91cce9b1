"""`python -m commonplace` is the command line."""

import sys

from commonplace.faces.cli import main

sys.exit(main())
