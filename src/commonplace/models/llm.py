"""A client for OpenAI-compatible language models that requests JSON objects.

Every failure is ModelFailed: unreachable, too slow, too long, refused, or not JSON. The caller
validates the content of the answer.
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
from commonplace.models.bad_answer import UnusableAnswer
from commonplace.models.providers import is_local

_PART_BYTES = 65_536
_HINT = "Check the URL, the name and the key of the model, and that its server is running."


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key and the text to another server."""

    def redirect_request(self, *_args: object, **_more: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model at an address. Thread-safe."""

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    call_s_max: float = MODEL_CALL_S_MAX

    def within(self, seconds: float) -> "LanguageModel":
        """The same model with a shorter time limit for an answer."""
        return replace(self, call_s_max=max(0.0, min(self.call_s_max, seconds)))

    def ask(self, instructions: str, text: str) -> Mapping[str, Any]:
        """The JSON object of the model's answer. Raises ModelFailed."""
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
            # Not every server supports response_format.
            del body["response_format"]
            status, answer = self._post(body, ends_at)
        if status != 200:
            raise ModelFailed(f"The model's server answered with status {status}.", hint=_HINT)
        return _parse_object(_content(answer))

    def _post(self, body: Mapping[str, Any], ends_at: float) -> tuple[int, bytes]:
        left = ends_at - time.monotonic()
        if left <= 0:
            raise _timeout_error(self.call_s_max)
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
        # A server on this machine is never reached through a proxy.
        around = (urllib.request.ProxyHandler({}),) if is_local(self.url) else ()
        try:
            opener = urllib.request.build_opener(
                _NoRedirect, *around, *http_deadline.handlers(ends_at)
            )
            with opener.open(request, timeout=left) as response:
                return response.status, _read_limited(response)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code, b""
        except TimeoutError as error:
            raise _timeout_error(self.call_s_max) from error
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise _timeout_error(self.call_s_max) from error
            raise ModelFailed("The model's server cannot be reached.", hint=_HINT) from error


def _read_limited(response: Any) -> bytes:
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


def _timeout_error(call_s_max: float) -> ModelFailed:
    return ModelFailed(f"The model did not answer within {call_s_max:g} seconds.", hint=_HINT)


def _content(answer: bytes) -> str:
    """The text of the model in the response of its server."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise ModelFailed("The model's server sent an invalid response.", hint=_HINT) from error
    if not isinstance(content, str):
        raise UnusableAnswer("The model's answer has no text.", hint=_HINT)
    return content


def _parse_object(content: str) -> Mapping[str, Any]:
    """The JSON object in a text, which may have a fence or sentences around it."""
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
            return _replace_surrogates(cast(dict[str, Any], found))
    raise UnusableAnswer("The model did not answer with a JSON object.", hint=_HINT)


def _replace_surrogates(found: dict[str, Any]) -> dict[str, Any]:
    """The same object with a replacement character for each lone surrogate, because surrogates
    cannot be stored or sent.
    """
    text = json.dumps(found, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return found
