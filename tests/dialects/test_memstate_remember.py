"""Memstate's remember without a model: where statements go, and what never changes, through the MCP
layer.
"""

import pytest

from commonplace.engine.engine import Engine
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement

DOCUMENT = """\
# Billing

Invoices are sent on the first of the month. Reminders follow after ten days.

## Stack
- **Database:** PostgreSQL 16
- Cache: Redis
- Queues
  - Emails go through SQS
  - Webhooks go through Kafka

| Service | Port | Owner |
|---------|------|-------|
| api     | 8080 | Ann   |
| worker  | 8081 | Bob   |

retries = 5

```sql
# not a heading
select 1;
```

> Never charge twice: that is the rule.
"""
PLACED = {
    "billing.invoices_sent_first_month": "Invoices are sent on the first of the month.",
    "billing.reminders_follow_after_ten_days": "Reminders follow after ten days.",
    "billing.stack.database": "PostgreSQL 16",
    "billing.stack.cache": "Redis",
    "billing.stack.queues.emails_go_through_sqs": "Emails go through SQS",
    "billing.stack.queues.webhooks_go_through_kafka": "Webhooks go through Kafka",
    "billing.stack.columns": "Service | Port | Owner",
    "billing.stack.api.port": "8080",
    "billing.stack.api.owner": "Ann",
    "billing.stack.worker.port": "8081",
    "billing.stack.worker.owner": "Bob",
    "billing.stack.retries": "5",
    "billing.stack.sql": "```sql\n# not a heading\nselect 1;\n```",
    "billing.stack.quote": "> Never charge twice: that is the rule.",
}


@requirement(
    "memstate:remember:extracts",
    "memstate:remember:headings",
    "memstate:remember:lists",
    "memstate:remember:labels",
    "memstate:remember:tables",
    "memstate:remember:sentences",
    "memstate:remember:code-and-quotes",
    "memstate:remember:every-line-once",
    "memstate:remember:model",
)
def test_a_document_becomes_keypaths_with_its_own_words_as_values(memstate: Memstate) -> None:
    memstate.remember("p", DOCUMENT)
    assert memstate.tree("p") == PLACED
    assert memstate.revision("p") == 1


@requirement(
    "memstate:remember:answer",
    "memstate:remember:creates-project",
    "memstate:remember:readable-next",
)
def test_the_answer_is_a_pending_job_whose_work_is_done(memstate: Memstate) -> None:
    data = memstate.remember("myapp", "Port: 8080")
    assert data == {
        "job_id": data["job_id"],
        "status": "pending",
        "message": "Ingestion job enqueued successfully",
        "project_id": "myapp",
    }
    assert data["job_id"].startswith("job_")
    assert memstate.tree("myapp") == {"port": "8080"}


@requirement("memstate:remember:job-outcome")
def test_the_outcome_of_a_job_can_be_read_by_its_id(memstate: Memstate, engine: Engine) -> None:
    number = memstate.remember("p", "Port: 8080\nHost: local")["job_id"]
    answer = memstate("get", memory_id=number)
    assert answer["operation"] == "job"
    assert (answer["data"]["status"], answer["data"]["project_id"]) == ("complete", "p")
    assert answer["data"]["keypaths"] == ["project.p.port", "project.p.host"]
    assert engine.get_job("default", number).state == "completed"
    assert memstate.failure("get", memory_id="job_00000000zzz")["code"] == "not_found"


@requirement("memstate:remember:content-limit")
def test_a_content_has_at_most_a_hundred_thousand_characters(memstate: Memstate) -> None:
    line = "- The value of this one is ü\n"
    longest = (line * (100_000 // len(line) + 1))[:100_000]
    memstate.remember("p", longest)
    assert (
        "100,000" in memstate.failure("remember", project_id="p", content=longest + "x")["message"]
    )


@requirement("memstate:remember:idempotent")
def test_the_same_document_again_changes_nothing(memstate: Memstate) -> None:
    memstate.remember("p", DOCUMENT)
    job = memstate.remember("p", DOCUMENT)["job_id"]
    assert memstate.get(memory_id=job)["keypaths"] == []
    assert memstate.revision("p") == 1
    assert all(len(memstate.history("p", key)) == 1 for key in PLACED)


@requirement(
    "memstate:remember:one-edit", "memstate:remember:versions", "memstate:conflict:supersede"
)
@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("PostgreSQL 16", "PostgreSQL 17", "billing.stack.database"),
        ("Cache: Redis", "Cache: Valkey", "billing.stack.cache"),
        ("| 8081 | Bob", "| 8082 | Bob", "billing.stack.worker.port"),
        ("through SQS", "through SES", "billing.stack.queues.emails_go_through_sqs"),
        ("after ten days", "after two weeks", "billing.reminders_follow_after_ten_days"),
        ("Invoices are sent", "Bills are sent", "billing.invoices_sent_first_month"),
        ("retries = 5", "retries = 6", "billing.stack.retries"),
        ("select 1", "select 2", "billing.stack.sql"),
        ("Never charge twice", "Never bill twice", "billing.stack.quote"),
    ],
)
def test_one_edited_line_makes_one_new_version(
    memstate: Memstate, before: str, after: str, key: str
) -> None:
    memstate.remember("p", DOCUMENT)
    memstate.remember("p", DOCUMENT.replace(before, after))

    now = memstate.tree("p")
    assert [one for one in {**PLACED, **now} if PLACED.get(one) != now.get(one)] == [key]
    assert len(memstate.history("p", key)) == 2
    assert memstate.history("p", key)[1]["conflict_type"] in ("supersede", "contradiction")


@requirement("memstate:remember:locality", "memstate:conflict:none")
def test_keypaths_that_the_text_does_not_name_stay_as_they_are(memstate: Memstate) -> None:
    memstate.remember("p", DOCUMENT)
    memstate.set("p", "auth.provider", "SuperTokens")
    memstate.set("p", "notes.api_uses", "The API uses Redis")
    memstate.set("p", "notes.deploy_day", "Deploys run on Friday at noon sharp")
    memstate.set("p", "agent", "Someone")
    before = memstate.tree("p")
    memstate.remember("p", "## Auth\n- Session: JWT\n\n## Other\nThe API uses JWT.", source="agent")
    memstate.remember(
        "p", "The API uses JWT. It was written by an agent. Deploys run on Friday at noon exactly."
    )

    now = memstate.tree("p")
    assert {key: now[key] for key in before} == before
    assert sorted(set(now) - set(before)) == [
        "auth.session",
        "notes.api_uses_jwt",
        "notes.deploys_run_friday_noon_exactly",
        "notes.written_agent",
        "other.api_uses_jwt",
    ]


@requirement(
    "memstate:remember:source", "memstate:remember:context", "memstate:remember:hints-kept"
)
def test_source_and_context_are_kept_and_say_where_loose_sentences_go(
    memstate: Memstate, engine: Engine
) -> None:
    text = (
        "We decided to migrate from session-based auth to JWT tokens. Access tokens have a 1-hour"
        " expiry."
    )
    given = {"source": "meeting", "context": "Architecture decision from sprint planning"}
    memstate.remember("with", text, **given)
    memstate.remember("source-only", text, source="meeting")
    memstate.remember("neither", text)

    assert {key.split(".")[0] for key in memstate.tree("with")} == {
        "architecture_decision_sprint_planning"
    }
    assert {key.split(".")[0] for key in memstate.tree("source-only")} == {"meeting"}
    assert {key.split(".")[0] for key in memstate.tree("neither")} == {"notes"}
    for whole in memstate.get(project_id="with", include_content=True)["full_memories"].values():
        assert (whole["source"], whole["metadata"]) == ("meeting", given)
    assert engine.list_documents("default", "migrate").items[0].metadata in (
        given,
        {"source": "meeting"},
        {},
    )


@requirement("memstate:remember:source")
def test_each_version_says_the_source_that_it_came_from(memstate: Memstate) -> None:
    memstate.remember("p", "Port: 1", source="readme")
    memstate.set("p", "port", "2")
    memstate.remember("p", "Port: 3", source="meeting")
    assert [one["source"] for one in memstate.history("p", "port")] == [
        "readme",
        "memstate",
        "meeting",
    ]


@requirement(
    "memstate:conflict:visible", "memstate:conflict:contradiction", "memstate:conflict:none"
)
@pytest.mark.parametrize("tool", ["set", "remember"])
def test_the_history_says_how_a_version_stands_to_the_one_before(
    memstate: Memstate, tool: str
) -> None:
    values = ["Redis", "Redis and Kafka", "RabbitMQ", "We no longer have one", "NATS", "NATS"]
    for value in values:
        if tool == "set":
            memstate.set("p", "queue", value)
        else:
            memstate.remember("p", f"queue: {value}")

    versions = memstate.history("p", "queue")
    assert [one["conflict_type"] for one in versions] == [
        "none",
        "additive",
        "supersede",
        "contradiction",
        "contradiction",
    ]
    assert "conflict_reason" not in versions[0]
    assert all(one["conflict_reason"] for one in versions[1:])
    assert memstate.tree("p") == {"queue": "NATS"}
    assert [one["summary"] for one in versions] == values[:5]


@requirement("memstate:conflict:none")
def test_a_longer_number_is_another_value_and_no_addition(memstate: Memstate) -> None:
    memstate.set("p", "port", "80")
    memstate.set("p", "port", "8080")
    assert memstate.history("p", "port")[1]["conflict_type"] == "supersede"
    memstate.delete("p", "port")
    memstate.set("p", "port", "9090")
    assert memstate.history("p", "port")[3]["conflict_type"] == "none"


@requirement("memstate:remember:extracts")
def test_the_examples_of_the_page_become_memories(memstate: Memstate) -> None:
    memstate.remember(
        "myapp",
        "## Task Summary\n- Added OAuth with Google provider\n- Session management via SuperTokens"
        " Cloud\n- Key files: auth/oauth.go, middleware/auth.go",
        source="agent",
    )
    assert memstate.tree("myapp") == {
        "task_summary.added_oauth_google_provider": "Added OAuth with Google provider",
        "task_summary.session_management_via_supertokens_cloud": (
            "Session management via SuperTokens Cloud"
        ),
        "task_summary.key_files": "auth/oauth.go, middleware/auth.go",
    }


@requirement("memstate:remember:extracts", "memstate:keypath:foreign-prefix")
def test_a_heading_called_project_gives_keypaths_that_can_be_used(memstate: Memstate) -> None:
    memstate.remember("p", "# Project\n- Name: Commonplace")
    key = memstate.found("commonplace", project_id="p")[0]
    assert key == "the_project.name"
    assert memstate.set("p", key, "Other")["version"] == 2


@requirement("memstate:remember:extracts")
def test_a_keypath_written_out_in_a_text_is_the_keypath_meant(memstate: Memstate) -> None:
    memstate.set("p", "auth.provider", "Auth0")
    memstate.set("p", "status", "red")
    memstate.remember(
        "p", "auth.provider: SuperTokens\nstatus = green\n\nconfig/cache.ttl: 60", context="review"
    )
    assert memstate.tree("p") == {
        "auth.provider": "SuperTokens",
        "status": "green",
        "config.cache.ttl": "60",
    }


@requirement("memstate:remember:extracts")
def test_keys_of_a_very_deep_document_stay_within_their_limit(memstate: Memstate) -> None:
    deep = "\n".join(
        f"{'  ' * depth}- level {depth} of a list that goes down" for depth in range(60)
    )
    memstate.remember("p", f"# {'Long title ' * 20}\n{deep}\n{'  ' * 60}- the end")
    data = memstate.get(project_id="p", include_content=True)
    assert data["total_count"] > 50
    for keypath in data["full_memories"]:
        assert len(keypath) <= 500 + len("project.p.")
        assert memstate.get(project_id="p", keypath=keypath, recursive=False)["total_count"] == 1
