"""The state and the result of a job, over plain HTTP."""

from collections.abc import Iterator

import pytest

from tests.dialects.requirements import requirement
from tests.faces.http_client import Running, server


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(
        tmp_path_factory.mktemp("home"), "serve", "--port", "0", module="commonplace"
    ) as one:
        yield one


@requirement("memstate:remember:job-outcome")
def test_the_outcome_of_a_remembered_text_can_be_fetched(running: Running) -> None:
    arguments = {"project_id": "shop", "content": "# Ports\nstaging: 8080"}
    said = running.ask(
        "/memstate/mcp", "tools/call", {"name": "memstate_remember", "arguments": arguments}
    ).json
    job_id = said["result"]["structuredContent"]["data"]["job_id"]
    answer = running.get(f"/api/v1/jobs/{job_id}")
    assert (answer.status, answer.json["job_id"], answer.json["status"]) == (
        200,
        job_id,
        "completed",
    )
    assert answer.json["result"] == {"keys": ["ports.staging"], "changed": 1}


def test_a_job_that_is_not_there_is_not_found(running: Running) -> None:
    assert running.get("/api/v1/jobs/job_00000000042").status == 404
    assert running.get("/api/v1/jobs/nonsense").status == 400
    assert "/" not in running.get("/api/v1/jobs/nonsense").json["error"]["message"]
