"""The real program serving its pages, and a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.docs.loading import script
from tests.faces.http_client import Running, server
from tests.web.visitor import Visitor


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    with server(home, "serve", "--port", "0", module="commonplace") as one:
        yield one


@pytest.fixture
def visitor(running: Running) -> Visitor:
    return Visitor(running)


# Not for the whole session: its event loop runs in this thread, where other tests run theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path, arguments = script("browser").chromium()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=arguments)
        yield opened
        opened.close()
