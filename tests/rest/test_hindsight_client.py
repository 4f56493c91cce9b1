"""Hindsight's published client, version 1.1.0, against a server of ours."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from tests.faces.http_client import Running, server, until


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    with server(
        home, "serve", "--port", "0", module="commonplace", COMMONPLACE_API_KEY="client-key"
    ) as one:
        yield one


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The event loop in which the synchronous methods run; the client never closes one."""
    one = asyncio.new_event_loop()
    asyncio.set_event_loop(one)
    yield one
    asyncio.set_event_loop(None)
    one.close()


@pytest.fixture
def client(running: Running, loop: asyncio.AbstractEventLoop) -> Iterator[Any]:
    with Hindsight(base_url=running.url, api_key="client-key") as one:
        yield one


@pytest.fixture
def bank(request: pytest.FixtureRequest) -> str:
    return request.node.name


def wait_for(client: Any, bank: str, operation_id: str) -> Any:
    """The operation, once it ended."""
    found: list[Any] = []

    def ended() -> bool:
        found.append(run(client, client.operations.get_operation_status(bank, operation_id)))
        return found[-1].status in ("completed", "failed")

    until(ended)
    assert found[-1].status == "completed", found[-1].error_message
    return found[-1]


def run(client: Any, call: Any) -> Any:
    """The low-level methods are asynchronous, and live in the loop of the client."""
    return asyncio.get_event_loop().run_until_complete(call)


def test_the_quick_start_of_the_package(client: Any) -> None:
    assert client.retain(bank_id="alice", content="Alice loves AI").success
    response = client.recall(bank_id="alice", query="What does Alice like?")
    assert [one.text for one in response.results] == ["Alice loves AI"]
    assert client.reflect(bank_id="alice", query="What does Alice love?").text
    docs = run(client, client.documents.list_documents("alice"))
    assert docs.total == 1
    assert run(client, client.operations.list_operations("alice")).bank_id == "alice"
    entities = run(client, client.entities.list_entities("alice"))
    assert "Alice" in [one.canonical_name for one in entities.items]
    one = run(client, client.entities.get_entity("alice", "alice"))
    assert (one.canonical_name, one.mention_count) == ("Alice", 1)


def test_the_version_tells_what_is_served(client: Any) -> None:
    version = client.get_version()
    assert (version.api_version, version.features.file_upload_api) == ("1.1.0", False)
    assert run(client, client.monitoring.get_liveness()).status == "alive"


def test_banks_are_created_configured_counted_and_deleted(client: Any, bank: str) -> None:
    made = client.create_bank(bank, name="Shop", mission="Sell.", disposition_empathy=5)
    assert (made.bank_id, made.name, made.disposition.empathy) == (bank, "Shop", 5)
    assert client.set_mission(bank, "Sell more.").mission == "Sell more."
    assert client.get_bank_config(bank)["overrides"]["disposition_empathy"] == 5
    changed = client.update_bank_config(bank, enable_observations=False, retain_chunk_size=500)
    assert changed["config"]["retain_chunk_size"] == 500
    assert client.reset_bank_config(bank)["overrides"] == {}
    client.retain(bank, "The shop opens at nine.")
    listed = run(client, client.banks.list_banks(q="shop"))
    assert [(one.bank_id, one.fact_count) for one in listed.banks] == [(bank, 1)]
    stats = run(client, client.banks.get_agent_stats(bank))
    assert (stats.total_nodes, stats.nodes_by_fact_type) == (1, {"world": 1})
    client.delete_bank(bank)
    with pytest.raises(ApiException) as refused:
        run(client, client.banks.get_agent_stats(bank))
    assert refused.value.status == 404


def test_a_batch_is_retained_at_once_or_later(client: Any, bank: str) -> None:
    items = [
        {
            "content": "Ada moved to Berlin.",
            "timestamp": "2024-05-02T00:00:00Z",
            "context": "letters",
            "metadata": {"source": "mail"},
            "document_id": "letters-1",
            "tags": ["home"],
        },
        {"content": "Bob drinks tea."},
    ]
    done = client.retain_batch(bank, items, document_tags=["batch"])
    assert (done.items_count, done.var_async) == (2, False)
    number = str(uuid.uuid4())
    later = [
        client.retain_batch(
            bank, [{"content": "Cleo sings."}], retain_async=True, operation_id=number
        )
        for _ in range(2)
    ]
    assert later[0].operation_id == later[1].operation_id
    assert wait_for(client, bank, later[0].operation_id).operation_type
    listed = client.list_memories(bank)
    assert sorted(one.text for one in listed.items) == [
        "Ada moved to Berlin.",
        "Bob drinks tea.",
        "Cleo sings.",
    ]
    found = client.recall(bank, "Where does Ada live?", tags=["home"], tags_match="all_strict")
    assert [(one.document_id, one.metadata) for one in found.results] == [
        ("letters-1", {"source": "mail"})
    ]
    assert sorted(found.results[0].tags) == ["batch", "home"]
    tags = run(client, client.memory.list_tags(bank))
    assert {one.tag: one.count for one in tags.items} == {"batch": 2, "home": 1}


def test_recall_returns_what_is_asked_for_besides_facts(client: Any, bank: str) -> None:
    client.retain(bank, "Ada works at Acme in Berlin.", document_id="d")
    plain = client.recall(bank, "Where does Ada work?", budget="low", max_tokens=500)
    assert (plain.results[0].type, plain.chunks, plain.trace) == ("world", None, None)
    whole = client.recall(
        bank,
        "Where does Ada work?",
        types=["world"],
        trace=True,
        include_chunks=True,
        include_entities=True,
        include_source_facts=True,
        query_timestamp="2026-03-01T00:00:00Z",
        min_scores={"final": 0.01},
        temporal_window={"start": "2020-01-01T00:00:00Z", "end": "2030-01-01T00:00:00Z"},
    )
    assert whole.chunks[whole.results[0].chunk_id].text == "Ada works at Acme in Berlin."
    assert "Ada" in whole.entities
    assert whole.trace
    groups = [{"tags": ["none"], "match": "all_strict"}]
    assert client.recall(bank, "Where does Ada work?", tag_groups=groups).results == []


def test_memories_are_read_corrected_and_invalidated(client: Any, bank: str) -> None:
    client.retain(bank, "Ada lives in Paris.")
    number = client.list_memories(bank).items[0].id
    assert run(client, client.memory.get_memory(bank, number))["text"] == "Ada lives in Paris."
    change: Callable[..., Any] = client.memory.update_memory
    body = {"text": "Ada lives in Rome."}
    assert run(client, change(bank, number, body))["text"] == "Ada lives in Rome."
    gone = run(client, change(bank, number, {"state": "invalidated", "reason": "moved"}))
    assert (gone["state"], gone["invalidation_reason"]) == ("invalidated", "moved")
    assert client.recall(bank, "Where does Ada live?").results == []
    listed = asyncio.get_event_loop().run_until_complete(
        client.alist_memories(bank, state="invalidated")
    )
    assert [one.id for one in listed.items] == [number]
    assert run(client, change(bank, number, {"state": "valid"}))["state"] == "valid"
    assert run(client, client.memory.clear_bank_memories(bank)).deleted_count == 1


def test_documents_are_read_and_deleted(client: Any, bank: str) -> None:
    client.retain(bank, "Ada lives in Paris.", document_id="notes/a b")
    document = run(client, client.documents.get_document(bank, "notes/a b"))
    assert (document.original_text, document.memory_unit_count) == ("Ada lives in Paris.", 1)
    gone = run(client, client.documents.delete_document(bank, "notes/a b"))
    assert (gone.success, gone.memory_units_deleted) == (True, 1)
    assert client.list_memories(bank).total == 0


def test_reflect_answers_with_what_it_is_based_on(client: Any, bank: str) -> None:
    client.retain(bank, "Ada likes green tea.")
    answer = client.reflect(bank, "What does Ada like?", include_facts=True, context="shopping")
    assert "tea" in answer.text
    assert [one.text for one in answer.based_on.memories] == ["Ada likes green tea."]


def test_mental_models_are_made_refreshed_and_deleted(client: Any, bank: str) -> None:
    client.retain(bank, "Ada likes green tea.")
    made = client.create_mental_model(bank, name="Tea", source_query="What does Ada drink?", id="t")
    wait_for(client, bank, made.operation_id)
    model = client.get_mental_model(bank, "t")
    assert (model.name, model.bank_id, model.source_query) == ("Tea", bank, "What does Ada drink?")
    assert client.update_mental_model(bank, "t", name="Drinks").name == "Drinks"
    again = client.refresh_mental_model(bank, "t")
    wait_for(client, bank, again.operation_id)
    assert [one.id for one in client.list_mental_models(bank).items] == ["t"]
    assert client.clear_mental_model(bank, "t").id == "t"
    assert isinstance(client.get_mental_model_history(bank, "t"), list)
    client.delete_mental_model(bank, "t")
    assert client.list_mental_models(bank).total == 0


def test_knowledge_pages_stand_in_folders(client: Any, bank: str) -> None:
    client.retain(bank, "Ada likes green tea.")
    folder = client.create_knowledge_folder(bank, "People")
    page = client.create_knowledge_page(
        bank, "Ada", source_query="What does Ada like?", parent_id=folder.id
    )
    tree = client.get_knowledge_base_tree(bank)
    assert [(one.name, [two.name for two in one.children]) for one in tree.roots] == [
        ("People", ["Ada"])
    ]
    assert "type: page" in client.get_knowledge_page(bank, page.page_id).markdown
    assert client.search_knowledge_base(bank, "Ada").total >= 0
    assert client.update_knowledge_node(bank, page.page_id, name="Ada L.").name == "Ada L."
    client.delete_knowledge_node(bank, folder.id)
    assert client.get_knowledge_base_tree(bank).roots == []


def test_directives_are_made_changed_and_deleted(client: Any, bank: str) -> None:
    made = client.create_directive(bank, name="Tone", content="Be brief.", priority=3, tags=["x"])
    changed = client.update_directive(bank, made.id, content="Be kind.", is_active=False)
    assert (changed.id, changed.name, changed.content) == (made.id, "Tone", "Be kind.")
    assert client.get_directive(bank, made.id).is_active is False
    listed = run(client, client.directives.list_directives(bank, active_only=False))
    assert [(one.content, one.priority, one.tags) for one in listed.items] == [
        ("Be kind.", 3, ["x"])
    ]
    client.delete_directive(bank, made.id)
    assert client.list_directives(bank).total == 0


def test_the_asynchronous_methods_do_the_same(running: Running, bank: str) -> None:
    done: list[str] = []

    async def use() -> None:
        client = Hindsight(base_url=running.url, api_key="client-key")
        try:
            await client.acreate_bank(bank, name="Async")
            await client.aretain(bank, "Ada likes green tea.")
            found = await client.arecall(bank, "What does Ada like?")
            assert [one.text for one in found.results] == ["Ada likes green tea."]
            assert "tea" in (await client.areflect(bank, "What does Ada like?")).text
            assert (await client.alist_memories(bank)).total == 1
            await client.adelete_bank(bank)
            done.append(bank)
        finally:
            await client.aclose()

    thread = threading.Thread(target=lambda: asyncio.run(use()))
    thread.start()
    thread.join()
    assert done == [bank]


def test_what_is_left_out_is_refused_with_a_sentence(client: Any, bank: str) -> None:
    client.create_bank(bank)
    calls = (
        client.webhooks.list_webhooks(bank),
        client.audit.list_audit_logs(bank),
        client.memory.get_graph(bank),
        client.banks.trigger_consolidation(bank),
    )
    for call in calls:
        with pytest.raises(ApiException) as refused:
            run(client, call)
        assert refused.value.status == 501
        assert "detail" in str(refused.value.body)
    with pytest.raises(ApiException) as unsupported:
        asyncio.get_event_loop().run_until_complete(client.alist_memories(bank, entity_id="ada"))
    assert unsupported.value.status == 501


def test_a_wrong_key_and_wrong_arguments_are_refused(running: Running, client: Any) -> None:
    with Hindsight(base_url=running.url, api_key="wrong") as stranger:
        with pytest.raises(ApiException) as refused:
            stranger.recall("alice", "what?")
        assert refused.value.status == 401
    with pytest.raises(ApiException) as unknown:
        client.get_directive("alice", "nonsense")
    assert unknown.value.status == 404
    headers = {"authorization": "Bearer client-key", "content-type": "application/json"}
    client.retain("refused", "Fay paints boats.")
    path = "/v1/banks/refused/memories/recall"
    answer = running.send("POST", path, b'{"query": "Who paints boats?"}', headers)
    assert (answer.status, len(answer.json["results"])) == (200, 1)
    for body in (b"{", b"[1]", b'{"query": 5}', b'{"items": 5}', b'{"query": "x", "types": ["y"]}'):
        assert running.send("POST", path, body, headers).status in (400, 200)
    bad = running.send("POST", "/v1/default/banks/alice/memories", b'{"items": [1]}', headers)
    assert (bad.status, "detail" in bad.json) == (400, True)
