"""One of the clients that add memories side by side, each call through the MCP layer: its ids on
standard output.
"""

import sys

import commonplace
from tests.dialects.powermem_client import PowerMem


def main(home: str, name: str, count: int) -> None:
    powermem = PowerMem(commonplace.open(home))
    for number in range(count):
        added = powermem.added(f"{name} saw ship {number} pass", user_id=name)
        sys.stdout.write(f"{added}\n")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
