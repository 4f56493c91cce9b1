"""A language model is asked for JSON; every way in which it can fail is ModelFailed, in time and in
bounds.
"""

import json
import time
from http.server import BaseHTTPRequestHandler

import pytest

from commonplace.errors import ModelFailed
from commonplace.models import providers
from commonplace.models.llm import LanguageModel
from tests.models import scripted
from tests.models.scripted import Scripted, model, sent


def test_a_model_is_asked_for_json_with_its_key_and_name() -> None:
    with model({"facts": ["a"]}) as script:
        answer = LanguageModel(script.url, "small", "secret").ask("Be brief.", "Hello.")

    assert answer == {"facts": ["a"]}
    assert script.keys == ["Bearer secret"]
    assert script.asked[0]["model"] == "small"
    assert script.asked[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
    ]
    assert "secret" not in repr(LanguageModel(script.url, "small", "secret"))


@pytest.mark.parametrize(
    "said",
    [
        '{"a": 1}',
        '```json\n{"a": 1}\n```',
        'Here you are: {"a": 1} I hope that helps!',
        '<think>{"b": 2}? no.</think>{"a": 1}',
    ],
)
def test_json_is_found_in_what_models_put_around_it(said: str) -> None:
    with model(said) as script:
        assert LanguageModel(script.url).ask("x", "y") == {"a": 1}


def test_a_server_that_cannot_promise_json_is_asked_again_without() -> None:
    with model(400, {"a": 1}) as script:
        assert LanguageModel(script.url).ask("x", "y") == {"a": 1}

    assert ["response_format" in one for one in script.asked] == [True, False]


@pytest.mark.parametrize("said", ["I do not know.", "", "[1, 2]", '{"a": ', "{" * 100_000, "null"])
def test_an_answer_without_an_object_fails(said: str) -> None:
    with model(said) as script, pytest.raises(ModelFailed, match="JSON object"):
        LanguageModel(script.url).ask("x", "y")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": {}}]}', b"\xff"]
)
def test_a_server_that_sends_rubbish_fails(body: bytes) -> None:
    def rubbish(_script: Scripted, to: BaseHTTPRequestHandler) -> None:
        sent(to, body)

    with model(rubbish) as script, pytest.raises(ModelFailed, match="invalid response"):
        LanguageModel(script.url).ask("x", "y")


def test_an_answer_that_is_no_text_fails() -> None:
    def no_text(_script: Scripted, to: BaseHTTPRequestHandler) -> None:
        sent(to, json.dumps({"choices": [{"message": {"content": None}}]}).encode())

    with model(no_text) as script, pytest.raises(ModelFailed, match="no text"):
        LanguageModel(script.url).ask("x", "y")


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
def test_a_refusal_fails_with_its_status(status: int) -> None:
    with model(status) as script, pytest.raises(ModelFailed, match=str(status)):
        LanguageModel(script.url).ask("x", "y")


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with model({"a": 1}) as other:

        def elsewhere(_script: Scripted, to: BaseHTTPRequestHandler) -> None:
            to.send_response(307)
            to.send_header("Location", f"{other.url}/chat/completions")
            to.end_headers()

        with model(elsewhere) as script, pytest.raises(ModelFailed, match="307"):
            LanguageModel(script.url, key="secret").ask("x", "y")
        assert other.asked == []


@pytest.mark.parametrize("slow", [scripted.silent, scripted.endless])
def test_a_slow_server_is_not_waited_for_longer_than_said(slow: scripted.Answer) -> None:
    with model(slow) as script, pytest.raises(ModelFailed, match="within"):
        LanguageModel(script.url, call_s_max=0.3).ask("x", "y")


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"HTTP/1.1 200 ", b"O"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 500 No\r\n", b"X"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    ],
    ids=["status line", "one header", "many headers", "come on", "refusal", "size of a chunk"],
)
def test_a_server_that_drips_whatever_part_of_its_answer_ends_at_the_limit(
    first: bytes, drop: bytes
) -> None:
    with model(scripted.dripping(first, drop)) as script:
        started = time.monotonic()
        with pytest.raises(ModelFailed, match="within"):
            LanguageModel(script.url, call_s_max=0.5).ask("x", "y")
        # The headers of a hundred and one lines would take five seconds, the others would never
        # end.
        assert time.monotonic() - started < 4


def test_an_answer_has_a_length_it_may_not_pass() -> None:
    def long(_script: Scripted, to: BaseHTTPRequestHandler) -> None:
        sent(to, b" " * 1_100_000)

    with model(long) as script, pytest.raises(ModelFailed, match="longer"):
        LanguageModel(script.url).ask("x", "y")


def test_a_server_that_hangs_up_fails() -> None:
    def gone(_script: Scripted, to: BaseHTTPRequestHandler) -> None:
        to.close_connection = True

    with model(gone) as script, pytest.raises(ModelFailed, match="reached"):
        LanguageModel(script.url).ask("x", "y")


def test_a_server_that_is_down_fails() -> None:
    with pytest.raises(ModelFailed, match="reached"):
        LanguageModel(scripted.nobody()).ask("x", "y")


def test_an_address_comes_from_the_provider_unless_one_is_given() -> None:
    assert providers.resolve_address("", "", "", "") is None
    assert providers.resolve_address("noop", "", "m", "k") is None
    assert providers.resolve_address("OpenAI", "", "", "k") == providers.Address(
        "https://api.openai.com/v1", "gpt-4o-mini"
    )
    assert providers.resolve_address("ollama", "", "llama3", "") == providers.Address(
        "http://127.0.0.1:11434/v1", "llama3"
    )
    assert providers.resolve_address(
        "azure", "https://x.example/v1/", "m", ""
    ) == providers.Address("https://x.example/v1", "m")


@pytest.mark.parametrize(
    ("provider", "url", "missing"),
    [
        ("qwen", "", "key"),
        ("azure", "", "azure"),
        ("", "file:///etc/passwd", "http"),
        ("", "http://[", "http"),
    ],
)
def test_a_model_that_cannot_be_asked_says_what_is_missing(
    provider: str, url: str, missing: str
) -> None:
    with pytest.raises(ModelFailed, match=missing):
        providers.resolve_address(provider, url, "", "")
