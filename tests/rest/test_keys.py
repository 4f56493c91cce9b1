"""Who may use the REST interfaces."""

import json
from pathlib import Path

from tests.faces.http_client import server


def test_a_server_with_a_key_answers_nothing_without_it(tmp_path: Path) -> None:
    path = "/api/v1/banks/b/memories"
    with server(
        tmp_path, "serve", "--port", "0", module="commonplace", COMMONPLACE_API_KEY="secret-key"
    ) as running:
        refused = running.post(path, {"text": "x"})
        assert (refused.status, refused.headers["content-type"]) == (
            401,
            "application/problem+json",
        )
        assert json.loads(refused.body)["hint"]
        assert running.get(path, authorization="Bearer wrong").status == 401
        assert running.get("/openapi.json").status == 401
        assert running.get(path, authorization="Bearer secret-key").json["items"] == []
        assert running.get(path, x_api_key="secret-key").status == 200
        page = {"authorization": "Bearer secret-key", "origin": "https://example.org"}
        assert running.send("GET", path, headers=page).status == 403
