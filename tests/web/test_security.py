"""Who may open the pages, and who may change anything through them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.http_client import Running, server
from tests.web.visitor import Visitor

KEY = "a key for tests"
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("locked")
    options = ("serve", "--port", "0")
    with server(home, *options, module="commonplace", COMMONPLACE_API_KEY=KEY) as one:
        yield one


def logged_in(locked: Running) -> Visitor:
    visitor = Visitor(locked)
    visitor.get("/login")
    assert visitor.post("/login", {"key": KEY}).status == 303
    visitor.get("/memories")
    return visitor


def test_every_page_forbids_frames_inline_scripts_and_other_hosts(visitor: Visitor) -> None:
    for path in ("/", "/memories", "/memory/nonsense", "/static/style.css"):
        headers = visitor.get(path).headers
        policy = headers["content-security-policy"]

        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"


def test_no_login_on_loopback_without_a_key(visitor: Visitor) -> None:
    assert visitor.get("/memories").status == 200
    assert visitor.get("/login").status == 303


def test_without_the_key_nothing_is_shown(locked: Running) -> None:
    visitor = Visitor(locked)
    page = visitor.get("/memories?kind=rule")

    assert page.status == 401
    assert b'name="key"' in page.body
    assert b"/memories?kind=rule" in page.body
    assert visitor.get("/memories.json").status == 401
    assert locked.get("/static/style.css").status == 200


def test_the_key_opens_the_pages_and_the_cookie_is_strict(locked: Running) -> None:
    visitor = Visitor(locked)
    visitor.get("/login")
    wrong = visitor.post("/login", {"key": "wrong"})
    right = visitor.post("/login", {"key": KEY, "back": "/memories?kind=rule"})

    assert wrong.status == 401
    assert right.headers["location"] == "/memories?kind=rule"
    assert "SameSite=Strict" in right.headers["set-cookie"]
    assert "HttpOnly" in right.headers["set-cookie"]
    assert visitor.get("/memories").status == 200


def test_logging_in_leads_only_to_pages_of_this_server(locked: Running) -> None:
    for back in ("https://evil.example/", "//evil.example/", "/\\evil.example"):
        visitor = Visitor(locked)
        visitor.get("/login")
        assert visitor.post("/login", {"key": KEY, "back": back}).headers["location"] == "/"


def test_logging_in_changes_the_cookie_so_that_a_planted_one_is_worth_nothing(
    locked: Running,
) -> None:
    visitor = Visitor(locked)
    visitor.get("/login")
    before = visitor.cookie
    visitor.post("/login", {"key": KEY})

    assert visitor.cookie != before
    assert locked.get("/memories", cookie=before).status == 401


def test_logging_out_ends_the_session(locked: Running) -> None:
    visitor = logged_in(locked)
    cookie = visitor.cookie
    visitor.post("/logout", {})

    assert locked.get("/memories", cookie=cookie).status == 401


def test_a_cookie_of_another_home_opens_nothing(locked: Running, tmp_path: Path) -> None:
    options = ("serve", "--port", "0")
    with server(tmp_path, *options, module="commonplace", COMMONPLACE_API_KEY=KEY) as other:
        value = logged_in(other).cookie.partition("=")[2]

    assert locked.get("/memories", cookie=f"commonplace_{locked.port}={value}").status == 401


def test_a_program_reads_the_twin_with_the_key_in_a_header(locked: Running) -> None:
    assert locked.get("/memories.json", authorization=f"Bearer {KEY}").status == 200
    assert locked.get("/memories.json", authorization="Bearer wrong").status == 401


def test_a_form_without_the_token_of_its_session_changes_nothing(
    running: Running, visitor: Visitor
) -> None:
    other = Visitor(running)
    other.get("/memories")
    visitor.get("/memories")
    for token in ("", "wrong", other.token):
        answer = visitor.post("/memories/add", {"form_token": token, "text": f"forged {token}"})
        assert answer.status == 403
        assert f"forged {token}".encode() in answer.body
    assert "forged" not in visitor.get("/memories.json").body.decode()


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
def test_a_form_of_another_site_is_refused_whatever_it_knows(visitor: Visitor, origin: str) -> None:
    visitor.get("/memories")
    answer = visitor.post("/memories/add", {"text": "from elsewhere"}, origin=origin)

    assert answer.status == 403
    assert b"<h1>Requests from web pages are refused." in answer.body
    assert "from elsewhere" not in visitor.get("/memories.json").body.decode()


def test_a_host_name_that_leads_here_by_a_trick_is_refused(running: Running) -> None:
    assert running.get("/memories", host="evil.example").status == 403


def test_a_session_that_has_ended_loses_nothing_that_was_typed(locked: Running) -> None:
    visitor = logged_in(locked)
    typed = {"text": "A long thought.", "form_token": visitor.token}
    answer = visitor.post("/memories/add", typed, cookie="commonplace=gone")

    assert answer.status == 401
    assert b"A long thought." in answer.body


def test_a_store_that_is_gone_gets_a_page_that_says_so(tmp_path: Path) -> None:
    with server(tmp_path, "serve", "--port", "0", module="commonplace") as one:
        visitor = Visitor(one)
        visitor.remember("It was here.")
        for file in tmp_path.glob("commonplace.db*"):
            file.unlink()
        answer = visitor.post("/memories/add", {"text": "Where does this go?"})

        assert answer.status == 501
        assert b"store" in answer.body
        assert b"Where does this go?" in answer.body


def test_a_key_for_one_dialect_does_not_open_the_pages(tmp_path: Path) -> None:
    keys = {"COMMONPLACE_API_KEY": KEY, "COMMONPLACE_HINDSIGHT_API_KEY": "only hindsight"}
    options = ("serve", "--port", "0")
    with server(tmp_path, *options, module="commonplace", **keys) as one:
        visitor = Visitor(one)
        visitor.get("/login")

        assert visitor.post("/login", {"key": "only hindsight"}).status == 401
        assert one.get("/memories.json", x_api_key="only hindsight").status == 401
        assert one.get("/memories.json", x_api_key=KEY).status == 200
