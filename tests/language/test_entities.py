"""The entities of texts."""

import time

import pytest

from commonplace.language import entities


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Maria Rossi flew to Lisbon with Dr. Chen.", {"Maria Rossi", "Lisbon", "Chen"}),
        ("John's dog Rex lives in New York City.", {"John", "Rex", "New York City"}),
        (
            "Alice and Bob met at the University of Oxford.",
            {"Alice", "Bob", "University of Oxford"},
        ),
        (
            "Müller GmbH hired José García in São Paulo.",
            {"Müller GmbH", "José García", "São Paulo"},
        ),
        ("Ann's Tesla is at St. Michael's Hospital.", {"Ann", "Tesla", "St. Michael's Hospital"}),
        ("Budget: unknown. Deadline: Friday.", set[str]()),
        ("The CEO of OpenAI is Sam Altman.", {"OpenAI", "Sam Altman"}),
        ("It cost $45 and weighs 3 kg.", {"$45", "3 kg"}),
        ("Acme Corp. raised $12.5 million in Q3 2025.", {"Acme Corp", "$12.5 million"}),
        ("An iPhone 15 Pro costs €1,299.00.", {"iPhone 15 Pro", "€1,299.00"}),
        ("The team uses PostgreSQL 16 and Redis.", {"PostgreSQL 16", "Redis"}),
        ("Ticket ABC-123 is about src/main.py.", {"ABC-123", "src/main.py"}),
        ("user@example.com opened PR #482.", {"user@example.com", "#482"}),
        ("We deploy to eu-west-1 with Terraform v1.9.2.", {"eu-west-1", "Terraform", "v1.9.2"}),
        ("The host 192.168.1.10 is down.", {"192.168.1.10"}),
        ("The meeting with Ms. O'Brien is on Monday, March 3.", {"O'Brien"}),
        ("Running late. Later Tom called. However, it rained.", {"Tom"}),
        ("On 2026-03-09 it cost 1.5 and/or 24/7.", set[str]()),
        ("we like tea", set[str]()),
        ("Wow, Caroline! Yeah, Mel.", {"Caroline", "Mel"}),
        ("Identify who helps. Estimate the cost.", set[str]()),
    ],
)
def test_names_places_products_amounts_and_identifiers_are_found(
    text: str, names: set[str]
) -> None:
    assert set(entities.find_entities(text)) == names


@pytest.mark.parametrize(
    "text", ["a-" * 50_000, "A " * 50_000, "1." * 50_000, "$1," * 50_000, "a/" * 50_000]
)
def test_no_text_takes_long(text: str) -> None:
    started = time.perf_counter()
    entities.find_entities(text)
    assert time.perf_counter() - started < 1
