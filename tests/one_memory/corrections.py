"""Corrections and statements that only look like one, each as the older statement, the newer one
and a question that both seem to answer.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """Two statements, the older one first, and a question."""

    name: str
    older: str
    newer: str
    question: str

    def __str__(self) -> str:
        return self.name


def _cases(*rows: tuple[str, str, str, str]) -> tuple[Case, ...]:
    return tuple(Case(*row) for row in rows)


# The changes with which the five former judges were measured.
PLAIN = _cases(
    ("port", "The port is 8080.", "The port is now 9090.", "Which port is it?"),
    ("city", "Alice lives in Rome.", "Alice moved to Paris.", "Where does Alice live?"),
    ("hour", "The standup is at nine.", "The standup is at ten.", "When is the standup?"),
    (
        "database",
        "We use MySQL.",
        "We switched from MySQL to Postgres.",
        "Which database do we use?",
    ),
    (
        "day",
        "The team deploys on Tuesdays.",
        "The team deploys on Thursdays now.",
        "On which day does the team deploy?",
    ),
    ("employer", "Bob works at Acme.", "Bob joined Initech.", "Where does Bob work?"),
    (
        "rhythm",
        "The access keys are rotated monthly.",
        "The access keys are rotated weekly.",
        "How often are the access keys rotated?",
    ),
)
# The same in the words of people who talk.
REWORDED = _cases(
    (
        "party",
        "The release party is in the canteen.",
        "Scrap the canteen, the release party is on the roof terrace.",
        "Where is the release party?",
    ),
    (
        "floor",
        "Priya sits on the third floor.",
        "Priya has moved up to the fifth floor.",
        "On which floor is Priya?",
    ),
    (
        "invoices",
        "The invoices are sent by post.",
        "We stopped sending the invoices by post; they go out by email.",
        "How are the invoices sent?",
    ),
    (
        "maintainer",
        "Milo maintains the parser.",
        "Milo handed the parser over to Greta, who maintains it from now on.",
        "Who maintains the parser?",
    ),
    (
        "build",
        "The nightly build starts at 01:00.",
        "Correction: the nightly build starts at 03:30, not 01:00.",
        "When does the nightly build start?",
    ),
    (
        "coffee",
        "I take my coffee with milk.",
        "I gave up milk in my coffee; I drink it black.",
        "How do I take my coffee?",
    ),
    (
        "orchestra",
        "The orchestra rehearses on Mondays.",
        "The orchestra no longer rehearses on Mondays, it is Wednesdays.",
        "When does the orchestra rehearse?",
    ),
    (
        "cache",
        "The cache expires after ten minutes.",
        "We raised it: the cache expires after thirty minutes.",
        "After how many minutes does the cache expire?",
    ),
    (
        "car",
        "Dana drives a red Skoda.",
        "Dana sold the Skoda and bought a Volvo.",
        "Which car does Dana drive?",
    ),
    (
        "workshop",
        "The workshop is planned for 12 March.",
        "The workshop was postponed to 19 March.",
        "When is the workshop?",
    ),
)
LOOK_ALIKES = _cases(
    (
        "sibling",
        "Tomas lives in Brno.",
        "His sister Jana moved to Ostrava.",
        "Where does Tomas live?",
    ),
    (
        "other thing",
        "The staging gateway listens on port 7001.",
        "The production gateway listens on port 7105.",
        "Which port has the staging gateway?",
    ),
    (
        "other person",
        "Ines is allergic to peanuts.",
        "Rui is allergic to peanuts too, and to shellfish.",
        "Who is allergic to peanuts?",
    ),
    (
        "period",
        "The choir rehearses on Mondays.",
        "In December the choir rehearses on Saturdays.",
        "When does the choir rehearse?",
    ),
    (
        "too",
        "We use Redis for the sessions.",
        "We use Kafka for the events, too.",
        "What do we use for the sessions?",
    ),
    (
        "plan",
        "Ola works at Fjordbank.",
        "Maybe Ola will work at Nordsee next year.",
        "Where does Ola work?",
    ),
    (
        "exception",
        "The office closes at six.",
        "Just for today the office closes at four.",
        "When does the office close?",
    ),
    (
        "joke",
        "Hugo drinks tea.",
        "Haha, tomorrow Hugo drinks only champagne.",
        "What does Hugo drink?",
    ),
    (
        "year",
        "The rent was 900 euros in 2024.",
        "The rent was 960 euros in 2025.",
        "How much was the rent?",
    ),
    ("also", "Lea plays the violin.", "Lea also plays the piano.", "What does Lea play?"),
)
CORRECTIONS = (*PLAIN, *REWORDED)
