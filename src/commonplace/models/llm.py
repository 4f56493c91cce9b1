"""A language model at an OpenAI-compatible address, asked for JSON and for nothing else.

Every way in which that can go wrong is ModelFailed: nobody there, too slow, too long, refused, or
no JSON. What the answer says is for the caller to check.
"""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import Any, cast

from commonplace.errors import ModelFailed
from commonplace.limits import MODEL_BYTES_MAX, MODEL_CALL_S_MAX, MODEL_TOKENS_MAX
from commonplace.models import http_deadline
from commonplace.models.bad_answer import Unusable
from commonplace.models.providers import is_near

_PART_BYTES = 65_536
_HINT = "Check the URL, the name and the key of the model, and that its server is running."


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key and the text to somebody who was not named."""

    def redirect_request(self, *_args: object, **_more: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model at an address. Safe to ask from several threads at once."""

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    call_s_max: float = MODEL_CALL_S_MAX

    def within(self, seconds: float) -> "LanguageModel":
        """The same model, with no more than so many seconds for an answer."""
        return replace(self, call_s_max=max(0.0, min(self.call_s_max, seconds)))

    def ask(self, instructions: str, text: str) -> Mapping[str, Any]:
        """The JSON object that the model answers with. Raises ModelFailed."""
        ends_at = time.monotonic() + self.call_s_max
        body: dict[str, Any] = {
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": text},
            ],
            "temperature": 0,
            "max_tokens": MODEL_TOKENS_MAX,
            "response_format": {"type": "json_object"},
        }
        if self.model:
            body["model"] = self.model
        status, answer = self._post(body, ends_at)
        if status == 400:
            # Not every server knows how to promise JSON.
            del body["response_format"]
            status, answer = self._post(body, ends_at)
        if status != 200:
            raise ModelFailed(f"The model's server answered with status {status}.", hint=_HINT)
        return _object_in(_content(answer))

    def _post(self, body: Mapping[str, Any], ends_at: float) -> tuple[int, bytes]:
        left = ends_at - time.monotonic()
        if left <= 0:
            raise _too_slow(self.call_s_max)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "commonplace",
        }
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"{self.url}/chat/completions", json.dumps(body).encode(), headers, method="POST"
        )
        # What runs on this machine is never asked through a proxy.
        around = (urllib.request.ProxyHandler({}),) if is_near(self.url) else ()
        try:
            opener = urllib.request.build_opener(
                _NoRedirect, *around, *http_deadline.handlers(ends_at)
            )
            with opener.open(request, timeout=left) as response:
                return response.status, _read(response)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code, b""
        except TimeoutError as error:
            raise _too_slow(self.call_s_max) from error
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise _too_slow(self.call_s_max) from error
            raise ModelFailed("The model's server cannot be reached.", hint=_HINT) from error


def _read(response: Any) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := cast(bytes, response.read1(_PART_BYTES)):
        parts.append(part)
        size += len(part)
        if size > MODEL_BYTES_MAX:
            raise ModelFailed(
                f"The model's answer is longer than {MODEL_BYTES_MAX:,} bytes.", hint=_HINT
            )
    return b"".join(parts)


def _too_slow(call_s_max: float) -> ModelFailed:
    return ModelFailed(f"The model did not answer within {call_s_max:g} seconds.", hint=_HINT)


def _content(answer: bytes) -> str:
    """What the model wrote, out of what its server sent."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise ModelFailed("The model's server sent an invalid response.", hint=_HINT) from error
    if not isinstance(content, str):
        raise Unusable("The model's answer has no text.", hint=_HINT)
    return content


def _object_in(content: str) -> Mapping[str, Any]:
    """The JSON object in what a model wrote, which may stand in a fence or between sentences."""
    start, end = content.find("{"), content.rfind("}")
    plain = (
        re.sub(r"^.*</think>", "", content, flags=re.DOTALL) if "</think>" in content else content
    )
    for candidate in (plain.strip(), content[start : end + 1] if 0 <= start < end else ""):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return _in_whole_characters(cast(dict[str, Any], found))
    raise Unusable("The model did not answer with a JSON object.", hint=_HINT)


def _in_whole_characters(found: dict[str, Any]) -> dict[str, Any]:
    """The same object with a mark in the place of each half of a character: halves can be neither
    kept nor sent.
    """
    text = json.dumps(found, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return found
