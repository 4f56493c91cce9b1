"""A process that writes memories and prints each id once it is acknowledged. Run by the tests, many
at a time.
"""

import sys

import commonplace
from commonplace.records.memory import Draft, Edit


def main(home: str, name: str, count: int) -> None:
    engine = commonplace.open(home)
    for number in range(count):
        memory = engine.remember("b", Draft(f"{name} wrote {number}", tags=(name,))).memory
        if number % 5 == 4:
            memory = engine.revise("b", memory.id, Edit(text=f"{name} rewrote {number}")).memory
        sys.stdout.write(f"{memory.id} {memory.version} {memory.text}\n")
        sys.stdout.flush()


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
