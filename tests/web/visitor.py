"""A visitor without a browser: keeps the cookie and sends the token of forms, as a browser does."""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.faces.http_client import Answer, Running


@dataclass
class Visitor:
    """One browser, as far as the server can tell."""

    running: Running
    cookie: str = ""
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def get(self, path: str, **headers: str) -> Answer:
        return self._send("GET", path, None, headers)

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def post(self, path: str, form: dict[str, object], **headers: str) -> Answer:
        """Send a form of the page that was opened last."""
        if not self.token:
            self.get("/memories")
        whole = {"form_token": self.token, **form}
        kind = {"content-type": "application/x-www-form-urlencoded", "origin": self.running.url}
        return self._send("POST", path, urlencode(whole, doseq=True).encode(), kind | headers)

    def remember(self, text: str, bank: str = "default", **fields: str) -> str:
        """Store a memory through the page; its id."""
        where = urlencode({"bank": bank})
        answer = self.post(f"/memories/add?{where}", {"text": text, **fields})
        assert answer.status == 303, answer.body
        found = self.json(f"/memories.json?{where}")
        return next(one["id"] for one in found["memories"] if one["text"] == text)

    def _send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        given = {**self.headers, **headers}
        if self.cookie and "cookie" not in given:
            given["cookie"] = self.cookie
        answer = self.running.send(method, path, body, given)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        if found := re.search(rb'name="form_token" value="([^"]+)"', answer.body):
            self.token = found[1].decode()
        return answer
