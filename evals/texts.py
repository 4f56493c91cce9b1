"""Invented memories and questions for measuring speed: the words repeat as they do in real text."""

import random
from collections.abc import Iterator

_SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy bra cle dri flo gru sta tre"
    " pli sno".split()
)
_PEOPLE = (
    "Ada Bruno Chen Dalia Emeka Farah Goran Hana Ivo Jun Kofi Lena Mira Nils Oyin Pilar".split()
)
_PLACES = "Lisbon Oslo Kyoto Accra Quito Turin Perth Hanoi Gdansk Tunis".split()
_FRAMES = (
    "{person} said that the {a} {b} of project {c} moved to {place} because the {d} was too {e}.",
    "The {a} service listens on port {number}; {person} keeps the {b} key in the {c} vault.",
    "We decided to replace {a} with {b} in {c} after the {d} review in {place}.",
    "{person} prefers {a} over {b} when the {c} is {d}, and asked for ticket {code}.",
    "On {place} day the {a} {b} failed {number} times until {person} restarted the {c}.",
)


class Author:
    """Writes memories from a vocabulary of 6,000 made-up words, the commonest far commoner than the
    rest.
    """

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._words = [
            "".join(self._chance.choices(_SYLLABLES, k=self._chance.randint(2, 4)))
            for _ in range(6_000)
        ]
        self._weights = [1 / (place + 5) for place in range(len(self._words))]

    def memories(self, count: int) -> Iterator[str]:
        """So many memories of about twenty words."""
        for _ in range(count):
            words = dict(
                zip("abcde", self._chance.choices(self._words, self._weights, k=5), strict=True)
            )
            yield self._chance.choice(_FRAMES).format(
                **words,
                person=self._chance.choice(_PEOPLE),
                place=self._chance.choice(_PLACES),
                number=self._chance.randint(1, 65_000),
                code=f"{self._chance.choice(_PLACES)[:3].upper()}-{self._chance.randint(1, 9_999)}",
            )

    def common(self, count: int) -> list[str]:
        """So many runs of four words, each of them among the twelve commonest."""
        return [" ".join(self._chance.sample(self._words[:12], k=4)) for _ in range(count)]

    def question(self, memory: str) -> str:
        """A question that shares five words with a memory."""
        words = memory.rstrip(".").replace(";", "").split()
        return "what about " + " ".join(self._chance.sample(words, k=min(5, len(words)))) + "?"
