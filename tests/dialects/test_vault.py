"""The vault over HTTP, as its page tells it."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from commonplace import ids
from commonplace.dialects.vault import responses
from tests.dialects.requirements import requirement
from tests.dialects.vault_client import PATH, VaultClient, vault_server
from tests.vault.hostile_texts import BODIES, TITLES

ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("vault") / "home") as client:
        yield client


@requirement("vault:tools", "vault:names")
def test_the_tools_are_those_of_the_page(vault: VaultClient) -> None:
    listed = {
        t["name"]: t
        for t in vault.running.ask(PATH, "tools/list", {}, **vault.headers).json["result"]["tools"]
    }
    shape = {
        name: (
            {p: s.get("default") for p, s in t["inputSchema"]["properties"].items()},
            t["inputSchema"]["required"],
        )
        for name, t in listed.items()
    }
    assert shape == {
        "memory_search": (
            {"query": None, "top_k": 5, "include_deleted": False, "cursor": None},
            ["query"],
        ),
        "memory_recall": (
            {"phases": None, "budget_tokens": 4096, "idempotency_key": None},
            ["phases"],
        ),
        "memory_append": (
            {"title": None, "body": None, "tags": [], "idempotency_key": None},
            ["title", "body"],
        ),
        "memory_forget": ({"id": None}, ["id"]),
    }
    assert all(re.fullmatch(r"[a-z_]+", name) for name in listed)


@requirement("vault:append", "vault:append:file", "vault:append:stem", "vault:append:tags")
def test_an_append_is_a_file_when_the_answer_comes(vault: VaultClient) -> None:
    answer = vault(
        "memory_append",
        title="Where the boat lies",
        body="At pier 7.\n",
        tags=["boat", "two words"],
    )
    assert set(answer) == {"id", "title", "status", "created_at"}
    assert (answer["title"], answer["status"]) == ("Where the boat lies", "active")
    assert ISO.fullmatch(answer["created_at"])
    text = (vault.root / "Where the boat lies.md").read_text()
    assert text == (
        f"---\nid: {answer['id']}\ntitle: Where the boat lies\nstatus: active\ncreated_at:"
        f" {answer['created_at']}\n"
        f'updated_at: {answer["created_at"]}\ntags: [boat, "two words"]\n---\n\nAt pier 7.\n\n'
    )


@requirement("vault:search", "vault:search:entry", "vault:search:array", "vault:search:order")
def test_a_search_finds_by_meaning_and_tells_all(vault: VaultClient) -> None:
    number = vault.append("Allergies of the crew", "Marta cannot eat peanuts.", tags=["crew"])
    vault.append("Crew list", "Marta, Ben, Ada.", tags=["crew"])
    answer = vault("memory_search", query="what food must Marta avoid?")
    first = answer["results"][0]
    promised = {"id", "title", "body", "score", "tags", "status", "created_at", "updated_at"}
    assert set(first) == promised | {"path"}
    assert first["path"] == "Allergies of the crew.md"
    assert (first["id"], first["title"], first["body"]) == (
        number,
        "Allergies of the crew",
        "Marta cannot eat peanuts.",
    )
    assert (first["tags"], first["status"]) == (["crew"], "active")
    assert ISO.fullmatch(first["updated_at"])
    scores = [one["score"] for one in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@requirement(
    "vault:search:top-k",
    "vault:search:cursor",
    "vault:search:exhausted",
    "vault:search:cursor-steady",
)
def test_pages_are_disjoint_and_together_the_whole_ranking(vault: VaultClient) -> None:
    ids = [
        vault.append(f"Lighthouse {n}", f"The lighthouse number {n} blinks {n} times.")
        for n in range(12)
    ]
    whole = [
        one["id"] for one in vault("memory_search", query="lighthouse blinks", top_k=100)["results"]
    ]
    assert sorted(whole) == sorted(ids)
    assert len(vault("memory_search", query="lighthouse blinks")["results"]) == 5
    pages, cursor = list[str](), None
    while True:
        answer = vault("memory_search", query="lighthouse blinks", top_k=5, cursor=cursor)
        pages += [one["id"] for one in answer["results"]]
        cursor = answer.get("next_cursor")
        if cursor is None:
            break
    assert pages == whole
    first = vault("memory_search", query="lighthouse blinks", top_k=4)
    vault("memory_forget", id=first["results"][0]["id"])
    vault("memory_forget", id=whole[-1])
    new = vault.append("Lighthouse new", "This lighthouse blinks too.")
    rest = vault(
        "memory_search", query="lighthouse blinks", top_k=100, cursor=first["next_cursor"]
    )["results"]
    assert sorted(one["id"] for one in rest if one["id"] != new) == sorted(set(whole[4:-1]))


@requirement("vault:search:cursor-bound")
def test_a_foreign_or_tampered_cursor_is_refused(vault: VaultClient) -> None:
    for n in range(3):
        vault.append(f"Anchor {n}", f"Anchor chain {n}.")
    cursor = vault("memory_search", query="anchor chain", top_k=1)["next_cursor"]
    assert vault.failure("memory_search", query="anchor rope", cursor=cursor) == 400
    assert (
        vault.failure("memory_search", query="anchor chain", include_deleted=True, cursor=cursor)
        == 400
    )
    for bad in (
        cursor[:-1],
        cursor + "A",
        "x",
        "=",
        "é",
        cursor[::-1],
        cursor[:10] + "B" + cursor[11:],
    ):
        if bad != cursor:
            assert vault.failure("memory_search", query="anchor chain", cursor=bad) == 400


@requirement("vault:search:rare")
def test_rare_words_are_found_at_once_in_any_script(vault: VaultClient) -> None:
    filler = "The quick brown fox jumps over the lazy dog. " * 400
    words = ("xylograph", "Преображенский", "量子暗号", "ναυσιπλοΐα", "משכנתא", "ほうれんそう")
    for word in words:
        vault.append(f"Title {word}")
        vault.append(f"Deep in {words.index(word)}", filler + word + " " + filler)
        vault.append(f"Tagged {words.index(word)}", "nothing else", tags=[word])
        assert set(vault.titles(word, top_k=20)) >= {
            f"Title {word}",
            f"Deep in {words.index(word)}",
            f"Tagged {words.index(word)}",
        }
    assert vault("memory_search", query="  ") == {"results": []}


@requirement("vault:append:exact", "vault:append:never-overwrite")
def test_titles_and_bodies_of_the_torture_list_come_back(vault: VaultClient) -> None:
    made = {
        vault.append(title, body): (title, body)
        for title, body in zip(TITLES, BODIES * 4, strict=False)
    }
    in_files = {
        ids.note_form(note.id): (note.title, note.body)
        for note in vault.files().values()
        if note.id
    }
    assert len(made) == len(TITLES)
    assert {number: in_files[number] for number in made} == made
    told = dict[str, tuple[str, str]]()
    for number, (title, body) in made.items():
        found = vault("memory_search", query=title + " " + body[:50], top_k=200)["results"]
        told |= {one["id"]: (one["title"], one["body"]) for one in found if one["id"] == number}
    assert told == made
    names = [name.casefold() for name in vault.files()]
    assert len(names) == len(set(names))
    for title in ("", "   ", "a\nb", "a\x00b", "a\x07b", "a\x85b"):
        assert vault.failure("memory_append", title=title, body="x") == 400
    half = vault.raw("memory_append", title="half \ud800", body="x").json
    assert "error" in half or half["result"]["isError"]
    assert vault.failure("memory_append", title="nul", body="x\x00") == 400
    assert vault.failure("memory_append", title="no body", body=" ") == 400


@requirement("vault:append:key", "vault:append:scope", "vault:error:409")
def test_a_key_is_one_entry_in_a_session_and_a_tool(vault: VaultClient) -> None:
    one, two = vault.session(), vault.session()
    first = one("memory_append", title="Keyed", body="b", tags=["t"], idempotency_key="k1")
    assert one("memory_append", title="Keyed", body="b", tags=["t"], idempotency_key="k1") == first
    before = set(vault.files())
    assert (
        one.failure("memory_append", title="Keyed", body="other", tags=["t"], idempotency_key="k1")
        == 409
    )
    assert set(vault.files()) == before
    assert one("memory_search", query="Keyed")["results"]
    assert one.recall("keyed", idempotency_key="k1")
    assert one.failure("memory_recall", phases=["other"], idempotency_key="k1") == 409
    assert (
        two("memory_append", title="Keyed", body="b", tags=["t"], idempotency_key="k1")["id"]
        != first["id"]
    )
    assert vault.append("Keyed too", idempotency_key="k1") == vault.append(
        "Keyed too", idempotency_key="k1"
    )
    assert "k1" not in str([note.tags for note in vault.files().values()])


@requirement("vault:append:concurrent")
def test_concurrent_appends_with_one_key_make_one_file(vault: VaultClient) -> None:
    with ThreadPoolExecutor(8) as crowd:
        answers = list(
            crowd.map(
                lambda n: (
                    vault.raw(
                        "memory_append", title=f"Race {n % 2}", body="b", idempotency_key="race"
                    ).json
                ),
                range(8),
            )
        )
    made = {a["result"]["structuredContent"]["id"] for a in answers if not a["result"]["isError"]}
    assert len(made) == 1
    assert len([name for name in vault.files() if name.startswith("Race")]) == 1
    with ThreadPoolExecutor(8) as crowd:
        assert len(set(crowd.map(lambda _n: vault.append("Same title"), range(8)))) == 8
    assert len([name for name in vault.files() if name.startswith("Same title")]) == 8


@requirement(
    "vault:search:include-deleted",
    "vault:forget",
    "vault:forget:file",
    "vault:forget:hidden",
    "vault:forget:twice",
    "vault:forget:audit",
)
def test_a_forgotten_note_is_hidden_and_its_file_stays(vault: VaultClient) -> None:
    number = vault.append("Secret cove", "The smugglers' cove has two exits.", tags=["work"])
    file = vault.root / "Secret cove.md"
    file.write_bytes(
        file.read_bytes().replace(b"tags:", b"mine: 1 # note\ntags:").replace(b"\n", b"\r\n")
    )
    before = file.read_bytes()
    answer = vault("memory_forget", id=number)
    assert set(answer) == {"id", "status", "deleted_at"}
    assert (answer["id"], answer["status"]) == (number, "deleted")
    assert ISO.fullmatch(answer["deleted_at"])
    after = file.read_bytes()
    changed = {line for line in after.split(b"\r\n") if line not in before.split(b"\r\n")}
    assert {line.split(b":")[0] for line in changed} == {b"status", b"updated_at", b"deleted_at"}
    assert f"deleted_at: {answer['deleted_at']}\r\n".encode() in after
    assert b"\n" not in after.replace(b"\r\n", b"")
    assert vault("memory_forget", id=number) == answer
    assert "Secret cove" not in vault.titles("smugglers cove exits", top_k=50)
    assert "Secret cove" not in vault.recall("work")
    shown = vault("memory_search", query="smugglers cove exits", include_deleted=True)["results"][0]
    assert (shown["id"], shown["status"]) == (number, "deleted")


@requirement("vault:forget:undelete", "vault:forget:race")
def test_a_status_flipped_back_in_the_file_brings_the_note_back(vault: VaultClient) -> None:
    number = vault.append("Tides table", "Spring tide on the ninth.")
    file = vault.root / "Tides table.md"
    before = file.read_bytes()
    vault("memory_forget", id=number)
    file.write_text(file.read_text().replace("status: deleted", "status: active"))
    assert vault.titles("spring tide ninth") == ["Tides table"]
    vault("memory_forget", id=number)
    assert "status: deleted" in file.read_text()
    file.write_bytes(before)
    assert vault.titles("spring tide ninth") == ["Tides table"]
    assert [name for name in vault.files() if name.startswith("Tides")] == ["Tides table.md"]


@requirement("vault:append:forgotten")
def test_a_key_of_a_forgotten_note_is_not_called_active(vault: VaultClient) -> None:
    number = vault.append("Short lived", "Ephemeral mayfly.", idempotency_key="mayfly")
    vault("memory_forget", id=number)
    again = vault(
        "memory_append", title="Short lived", body="Ephemeral mayfly.", idempotency_key="mayfly"
    )
    assert (again["id"], again["status"]) == (number, "deleted")
    assert vault.titles("ephemeral mayfly") == []


@requirement("vault:recall", "vault:recall:order", "vault:recall:phases")
def test_a_bundle_holds_what_bears_on_the_phases(vault: VaultClient) -> None:
    vault.append("Checklist", "Look at the error paths.", tags=["inspection"])
    vault.append("Rites", "Sing loudly.", tags=["phase:inspection"])
    (vault.root / "by hand.md").write_text("---\nphases: [inspection]\n---\nThe handwritten one.\n")
    vault.append("Unrelated", "Bananas are yellow.")
    vault.append("Quarterdeck inspection", "The inspection of the quarterdeck is on Friday.")
    text = vault.recall("Inspection")
    found = [line for line in text.splitlines() if line.startswith("## ")]
    assert set(found[:3]) == {"## Checklist", "## Rites", "## by hand"}
    assert "## Quarterdeck inspection" in found[3:]
    assert "Bananas" not in text
    assert text.count("## Checklist") == 1
    assert "quarterdeck" in vault.recall("a phase nobody knows: quarterdeck friday")


@requirement("vault:recall:budget", "vault:recall:prefix", "vault:recall:refused")
def test_a_budget_counts_everything_and_keeps_a_prefix(vault: VaultClient) -> None:
    for n in range(10):
        vault.append(f"Rigging {n}", f"Rope {n} holds. " * (n + 1), tags=["rigging"])
    sections, last = (
        re.split(r"(?=^## )", vault.recall("rigging", budget_tokens=100_000), flags=re.MULTILINE),
        0,
    )
    assert len(sections) > 10
    for budget in (1, 5, 20, 50, 100, 200, 400, 800, 4096):
        text = vault.recall("rigging", budget_tokens=budget)
        assert responses.tokens(text) <= budget
        kept = [one for one in re.split(r"(?=^## )", text, flags=re.MULTILINE) if one]
        if "[…]" not in text:
            assert kept == [one for one in sections if one][: len(kept)]
            assert len(kept) >= last
            last = len(kept)
    for bad in (0, -1):
        assert vault.failure("memory_recall", phases=["work"], budget_tokens=bad) == 400
    assert vault.failure("memory_recall", phases=[]) == 400
    assert vault.failure("memory_recall", phases=[" "]) == 400


@requirement("vault:recall:key", "vault:recall:fresh")
def test_a_cached_bundle_is_the_same_to_the_byte(vault: VaultClient) -> None:
    vault.append("Galley one", "Soup on Monday.", tags=["galley"])
    first = vault.recall("galley", idempotency_key="g")
    vault.append("Galley two", "Fish on Friday.", tags=["galley"])
    assert vault.recall("galley", idempotency_key="g") == first
    assert "Galley two" in vault.recall("galley")
    assert (
        vault.failure("memory_recall", phases=["galley"], budget_tokens=10, idempotency_key="g")
        == 409
    )


@requirement("vault:error:404", "vault:error:title")
def test_an_unknown_id_is_404_and_the_session_goes_on(vault: VaultClient) -> None:
    session = vault.session()
    vault.append("Known title")
    for number in (
        "note_00000000001",
        "nope",
        "Known title",
        "Known title.md",
        "../x",
        "9" * 30,
        "é",
    ):
        assert session.failure("memory_forget", id=number) == 404
    assert session.titles("Known title")


@requirement("vault:token", "vault:error:401", "vault:error:403", "vault:error:order")
def test_strangers_stay_outside(vault: VaultClient) -> None:
    for path in (PATH, f"{PATH}/notes"):
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eDp5"}):
            answer = vault.running.ask(path, "tools/list", {}, **headers)
            assert answer.status == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            foreign = vault.running.ask(
                path, "tools/list", {}, **headers, origin="https://evil.example"
            )
            assert foreign.status == 403
        assert (
            vault.running.ask(
                path, "tools/list", {}, **vault.headers, origin="https://evil.example"
            ).status
            == 403
        )
        assert (
            vault.running.ask(path, "tools/list", {}, **vault.headers, host="evil.example").status
            == 403
        )
    assert vault.running.get("/health", origin="https://evil.example").status == 403


@requirement("vault:error:local", "vault:error:403")
def test_a_page_of_this_machine_may_ask_with_the_token_and_no_other_page_may(
    vault: VaultClient,
) -> None:
    for origin in ("http://localhost:3000", "https://localhost", "http://127.0.0.1:6274"):
        asked = vault.running.ask(PATH, "tools/list", {}, **vault.headers, origin=origin)
        assert (asked.status, len(asked.json["result"]["tools"])) == (200, 4)
        assert vault.running.ask(PATH, "tools/list", {}, origin=origin).status == 401
        assert vault.running.ask("/memstate/mcp", "tools/list", {}, origin=origin).status == 403
    for origin in (
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example:80",
        "http://localhost:80@evil.example",
    ):
        assert (
            vault.running.ask(PATH, "tools/list", {}, **vault.headers, origin=origin).status == 403
        )


def test_a_failure_is_told_twice_the_same(vault: VaultClient) -> None:
    result = vault.raw("memory_forget", id="nope").json["result"]
    assert json.loads(result["content"][0]["text"])["error"]["type"] == "not_found"
