"""The real server, whose answers also say how long each call computed: `python -m
tests.hostile.timed_server`.
"""

import argparse
import time
from collections.abc import Mapping
from dataclasses import fields, replace

from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect, Reply
from commonplace.faces.http import server
from commonplace.settings import load

SECONDS = "test/seconds"


class Timed(Dialect):
    """A dialect that tells how long the thread of a call computed, whatever else the machine does
    meanwhile.
    """

    def call(self, name: str, given: Mapping[str, object], call: Call) -> Reply:
        started = time.thread_time()
        reply = Dialect.call(self, name, given, call)
        return replace(reply, meta={**reply.meta, SECONDS: time.thread_time() - started})


def _timed(dialect: Dialect) -> Dialect:
    return Timed(**{field.name: getattr(dialect, field.name) for field in fields(dialect)})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    dialects = {name: _timed(registry.find(name)) for name in registry.NAMES}
    server.run(
        load(), host="127.0.0.1", port=given.port, dialect=None, log_json=False, dialects=dialects
    )


if __name__ == "__main__":
    main()
