"""Makes the screenshots of docs/page.md: a server with a small store, in a real browser.

They are made again only when the pages change, because fonts differ from machine to machine.
docs/page/made_from.txt has the digest of what they were made from; a test compares it.
"""

import hashlib
import sys
import tempfile
from pathlib import Path

from commonplace.app import open_engine
from commonplace.settings import load

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import browser  # noqa: E402
import page_store  # noqa: E402

from tests.conftest import StoppedClock  # noqa: E402
from tests.faces.http_client import server  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

FOLDER = ROOT / "docs" / "page"
MADE_FROM = FOLDER / "made_from.txt"
WEB = ROOT / "src" / "commonplace" / "faces" / "web"
PHONE, DESK = (360, 640), (1000, 700)
# Name, address, size and scheme of each.
SHOTS = (
    ("memories", "/memories", DESK, "light"),
    ("memory", "/memory/ID", DESK, "light"),
    ("ask", "/ask?q=Which+port+does+staging+use&limit=5", DESK, "dark"),
    ("inbox", "/inbox", DESK, "light"),
    ("timeline", "/timeline?project=shop", DESK, "dark"),
    ("map", "/map", DESK, "light"),
    ("phone", "/memories", PHONE, "light"),
)


def digest() -> str:
    """The digest of everything that the screenshots show."""
    files = sorted(
        file
        for file in (*WEB.rglob("*"), ROOT / "scripts" / "page_store.py", Path(__file__))
        if file.suffix in (".html", ".css", ".js", ".svg", ".py") and file.is_file()
    )
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()


def main() -> None:
    if MADE_FROM.exists() and MADE_FROM.read_text().strip() == digest():
        return
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    path, arguments = browser.chromium()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        engine = open_engine(load({"COMMONPLACE_HOME": folder}), StoppedClock())
        page_store.fill(engine)
        engine.db.close()
        with server(home, "serve", "--port", "0", module="commonplace") as running:
            found = Visitor(running).json("/memories.json?kind=note")["memories"]
            first = next(one["id"] for one in found if one["key"])
            with sync_playwright() as playwright:
                opened = playwright.chromium.launch(executable_path=path, args=arguments)
                for name, address, (width, height), scheme in SHOTS:
                    context = opened.new_context(
                        base_url=running.url,
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                    )
                    page = context.new_page()
                    page.goto(address.replace("ID", first))
                    if name == "ask":
                        page.locator("summary", has_text="What speaks for it").first.click()
                    if name == "map":
                        page.locator("#map[data-drawn]").wait_for()
                    page.screenshot(path=FOLDER / f"{name}.png")
                    context.close()
    MADE_FROM.write_text(digest() + "\n")


if __name__ == "__main__":
    main()
