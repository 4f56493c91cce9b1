"""The pages in a real browser: what people see, what runs, and what the keyboard can do."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.faces.http_client import Running
from tests.web.hostile import HOSTILE
from tests.web.visitor import Visitor

# Each view, with ID in the place of a memory's id.
VIEWS = (
    *("/memories?bank=views", "/memories?bank=empty", "/memory/ID?bank=views"),
    *("/ask?bank=views&q=which+port&limit=20&compare=1&as2=hindsight", "/ask"),
    *("/status?check=1", "/inbox?bank=views", "/timeline?bank=views", "/transfer"),
    *("/map?bank=views", "/banks", "/bank?bank=views"),
)
FORMS = ("/memory/ID/edit?bank=views", "/memory/nonsense")


@pytest.fixture(scope="module")
def memory_id(running: Running) -> str:
    """A store with hostile texts, and one memory with a history."""
    visitor = Visitor(running)
    for number, text in enumerate(HOSTILE):
        form = {"text": text, "tags": text[:100].replace(",", ""), "kind": f"k{number}"}
        visitor.post("/memories/add?bank=views", form)
        visitor.post("/memories/add?bank=views", {"text": text, "project": text[:100]})
    running.call("/hindsight/mcp", "retain", {"content": HOSTILE[0], "bank_id": "views"})
    one = visitor.remember("The staging server listens on port 8080.", bank="views")
    for version, text in enumerate(("It listens on 9090.", HOSTILE[0]), 1):
        form = {"text": text, "version": str(version), "reason": HOSTILE[1], "title": HOSTILE[2]}
        assert visitor.post(f"/memory/{one}/edit?bank=views", form).status == 303
    return one


@pytest.fixture
def page(browser: Browser, running: Running) -> Iterator[Page]:
    context = browser.new_context(base_url=running.url, viewport={"width": 1100, "height": 800})
    context.set_default_timeout(30_000)
    opened = context.new_page()
    yield opened
    context.close()


def watch(page: Page, running: Running) -> list[str]:
    """Everything that should not happen: requests to elsewhere, dialogs, errors in the console."""
    events: list[str] = []

    def pass_on(route: Route) -> None:
        if not route.request.url.startswith(running.url):
            events.append(f"request {route.request.url}")
        route.continue_()

    page.route("**/*", pass_on)
    page.on("dialog", lambda dialog: events.append(f"dialog {dialog.message}"))
    page.on("pageerror", lambda error: events.append(f"error {error}"))
    page.on("console", lambda one: events.append(one.text) if "Policy" in one.text else None)
    return events


def test_no_text_of_a_memory_runs_or_loads_anything(
    page: Page, running: Running, memory_id: str
) -> None:
    events = watch(page, running)
    for view in (*VIEWS, *FORMS):
        page.goto(view.replace("ID", memory_id))
        page.wait_for_load_state("networkidle")

        assert page.evaluate("window.pwned") is None, view
        foreign = 'iframe, main script:not([src^="/static/"]), main style, main link'
        assert page.locator(foreign).count() == 0, view
    page.goto(VIEWS[0])
    expect(page.locator(".row a", has_text=HOSTILE[1]).first).to_be_visible()
    assert events == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_320_pixels(
    browser: Browser, running: Running, memory_id: str, scheme: str
) -> None:
    context = browser.new_context(
        base_url=running.url, viewport={"width": 320, "height": 640}, color_scheme=scheme
    )
    page = context.new_page()
    for view in (*VIEWS, *FORMS):
        page.goto(view.replace("ID", memory_id))
        # Closed parts are part of the view.
        page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        found = Axe().run(page)
        assert found.violations_count == 0, f"{view}: {found.generate_report()}"
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 320, f"{view} is {width} pixels wide"
    context.close()


def test_the_keyboard_finds_and_corrects_a_memory_and_undoes_it(
    page: Page, running: Running
) -> None:
    Visitor(running).remember("The backup runs at four.", bank="keys")
    Visitor(running).remember("Something else entirely.", bank="keys")
    page.goto("/memories?bank=keys")
    page.keyboard.press("/")
    page.keyboard.type("when does the backup run?")
    page.keyboard.press("Enter")
    expect(page.locator("#results h1")).to_have_text("1 found")
    page.keyboard.press("Tab")
    page.locator("main").focus()
    page.keyboard.press("j")
    expect(page.locator(".row a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/memory/"))
    page.keyboard.press("e")
    page.wait_for_url(re.compile("/edit"))
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("The backup runs at five.")
    for _ in range(5):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".banner")).to_contain_text("Saved as version 2.")
    expect(page.locator(".whole")).to_have_text("The backup runs at five.")
    page.keyboard.press("u")
    expect(page.locator(".whole")).to_have_text("The backup runs at four.")


def test_the_keyboard_chooses_and_forgets_many_with_one_undo(page: Page, running: Running) -> None:
    visitor = Visitor(running)
    for number in range(30):
        visitor.post("/memories/add?bank=many", {"text": f"Fact {number}."})
    page.goto("/memories?bank=many")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#chosen-count")).to_have_text("1 chosen")
    page.locator("#choose-all").focus()
    page.keyboard.press("Space")
    expect(page.locator("#chosen-count")).to_have_text("30 chosen")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".banner")).to_contain_text("Forgot 30 memories.")
    page.keyboard.press("u")
    expect(page.locator(".banner")).to_contain_text("Undid the change of 30 memories.")
    expect(page.locator(".row")).to_have_count(30)


def test_the_help_lists_the_keys(page: Page) -> None:
    page.goto("/memories")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()


def test_two_browsers_change_one_memory_and_neither_loses_a_word(
    page: Page, browser: Browser, running: Running
) -> None:
    one = Visitor(running).remember("We meet on Monday.", bank="two")
    other = browser.new_context(base_url=running.url).new_page()
    for each in (page, other):
        each.goto(f"/memory/{one}/edit?bank=two")
    other.fill("#text", "We meet on Tuesday.")
    other.get_by_role("button", name="Save as version 2").click()
    other.wait_for_url(re.compile("did=save"))
    page.fill("#text", "We meet on Monday at nine.")
    page.get_by_role("button", name="Save as version 2").click()

    expect(page.locator("h1")).to_have_text("This memory changed while you wrote")
    expect(page.locator(".diff ins")).to_have_text("Tuesday")
    expect(page.locator("#text")).to_have_value("We meet on Monday at nine.")
    page.fill("#text", "We meet on Tuesday at nine.")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".whole")).to_have_text("We meet on Tuesday at nine.")
    expect(page.locator(".versions > li")).to_have_count(3)
    other.context.close()


def test_filters_change_the_address_without_leaving_the_page(page: Page, running: Running) -> None:
    Visitor(running).remember("Never log a body.", bank="filters", kind="rule")
    Visitor(running).remember("A note.", bank="filters")
    page.goto("/memories?bank=filters")
    page.select_option("#kind", "rule")
    page.wait_for_url(re.compile("kind=rule"))
    expect(page.locator(".row")).to_have_count(1)
    page.get_by_label("Remove the filter kind rule").click()
    expect(page.locator(".row")).to_have_count(2)


def test_the_map_is_drawn_and_leads_to_a_memory(page: Page, running: Running) -> None:
    visitor = Visitor(running)
    visitor.remember("The staging server listens on port 8080.", bank="drawn")
    one = visitor.remember("The staging server listens on port 9090.", bank="drawn")
    page.goto(f"/map?bank=drawn&id={one}")
    expect(page.locator("#map")).to_have_attribute("data-drawn", "2")
    painted = """canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        .data.some(value => value)"""
    assert page.locator("#map").evaluate(painted)
    page.get_by_role("link", name="The staging server listens on port 8080.").click()
    page.wait_for_url(re.compile("/memory/"))


def test_the_keyboard_merges_twins_and_undoes_it(page: Page, running: Running) -> None:
    visitor = Visitor(running)
    visitor.remember("Deploys run on Tuesdays.", bank="merge")
    visitor.remember("deploys run on tuesdays", bank="merge")
    page.goto("/inbox?bank=merge")
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.locator(".banner")).to_contain_text("Merged.")
    expect(page.locator("h1")).to_have_text("Inbox: 0 to decide")
    page.keyboard.press("u")
    expect(page.locator("h1")).to_have_text("Inbox: 1 to decide")


def test_a_file_is_imported_after_a_look_at_what_would_happen(page: Page) -> None:
    graph = b'{"type":"entity","name":"Ada","entityType":"person","observations":["Ada sails."]}'
    file = {"name": "memory.jsonl", "mimeType": "application/jsonl", "buffer": graph}
    page.goto("/transfer?bank=file")
    page.set_input_files("#file", files=[file])
    page.get_by_role("button", name="Show what would happen").press("Enter")
    expect(page.locator(".banner")).to_contain_text("Nothing was changed.")
    page.set_input_files("#file", files=[file])
    page.get_by_role("button", name="Import").press("Enter")
    expect(page.locator(".banner")).to_contain_text("Imported memory.jsonl.")
