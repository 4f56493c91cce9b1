"""Appends and forgets notes until it is killed: `python -m tests.dialects.vault_writer HOME`."""

import sys

from commonplace.app import open_engine
from commonplace.dialects.vault import DIALECT
from commonplace.settings import load
from tests.dialects.dialect_client import Client


def main() -> None:
    client = Client(open_engine(load({"COMMONPLACE_HOME": sys.argv[1]})), DIALECT)
    client.result("memory_search", query="warm up")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    turn = sys.stdin.readline().strip()
    for n in range(3):
        client.result(
            "memory_append", title=f"T {turn} {n}", body="b", idempotency_key=f"{turn}-{n}"
        )
    made = client.result("memory_append", title=f"Gone {turn}", body="b")["structuredContent"]
    client.result("memory_forget", id=made["id"])


if __name__ == "__main__":
    main()
