"""Pages of a search over HTTP while notes come, go and change."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dialects.requirements import requirement
from tests.dialects.vault_client import VaultClient, vault_server

MANY = 260
QUERY = "which lighthouse blinks"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("pages") / "home") as client:
        client.root.mkdir(parents=True)
        for n in range(MANY):
            text = (
                f"The lighthouse number {n} blinks {n % 7} times."
                if n % 2
                else f"Lighthouse {n % 5} blinks."
            )
            (client.root / f"light {n}.md").write_text(text)
        yield client


def pages(vault: VaultClient, top_k: int, **more: Any) -> Iterator[list[dict[str, Any]]]:
    cursor = None
    while True:
        answer = vault("memory_search", query=QUERY, top_k=top_k, cursor=cursor, **more)
        yield answer["results"]
        cursor = answer.get("next_cursor")
        if cursor is None:
            return


@requirement("vault:search:exhausted", "vault:search:cursor", "vault:search:top-k")
def test_paging_reaches_every_entry_that_matches_in_the_order_of_their_scores(
    vault: VaultClient,
) -> None:
    whole = [one for page in pages(vault, 50) for one in page]
    assert len({one["id"] for one in whole}) == len(whole) == MANY
    scores = [one["score"] for one in whole]
    assert scores == sorted(scores, reverse=True)
    other = [one["id"] for page in pages(vault, 7) for one in page]
    assert other == [one["id"] for one in whole]
    most = vault("memory_search", query=QUERY, top_k=1_000)
    assert [one["id"] for one in most["results"]] == other[:200]
    assert most["next_cursor"]


@requirement("vault:search:cursor-steady")
def test_pages_neither_repeat_nor_skip_what_stays_while_others_come_go_and_change(
    vault: VaultClient,
) -> None:
    at_first = {one["id"] for page in pages(vault, 200) for one in page}
    given, gone, scores = list[str](), set[str](), list[float]()
    for turn, page in enumerate(pages(vault, 40)):
        given += [one["id"] for one in page]
        scores += [one["score"] for one in page]
        if turn > 4:
            continue
        # The best of all, one that was given out, one that was not, and enough new ones to change
        # what words weigh.
        waiting = sorted(at_first - gone - set(given))[:1]
        for number in {given[0], page[-1]["id"], *waiting} - gone:
            vault("memory_forget", id=number)
            gone.add(number)
        for n in range(30):
            (vault.root / f"new {turn} {n}.md").write_text(
                f"Another lighthouse, {n}, blinks in the fog."
            )
            (vault.root / f"other {turn} {n}.md").write_text(
                "A long story of which nobody knows the end. " * 20
            )
    assert len(given) == len(set(given))
    assert at_first - gone <= set(given)
    assert scores == sorted(scores, reverse=True)


@requirement("vault:search:cursor-bound")
def test_a_cursor_is_short_and_belongs_to_one_question(vault: VaultClient) -> None:
    cursor = vault("memory_search", query=QUERY, top_k=3)["next_cursor"]
    assert len(cursor) < 400
    assert vault("memory_search", query=QUERY, top_k=9, cursor=cursor)["results"]
    assert vault.failure("memory_search", query=QUERY + " now", cursor=cursor) == 400
    assert vault.failure("memory_search", query=QUERY, include_deleted=True, cursor=cursor) == 400
    other = vault.raw("memory_search", "/vault/mcp/elsewhere", query=QUERY, cursor=cursor).json[
        "result"
    ]
    assert other["isError"]
    for place in range(len(cursor)):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        assert vault.failure("memory_search", query=QUERY, cursor=changed) == 400
