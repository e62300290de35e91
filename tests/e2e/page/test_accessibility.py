"""axe-core finds nothing to say against the page, in light and in dark, whatever it shows."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import programs
from tests.e2e.page.chromium import watched_page
from tests.e2e.page.recorded import shared

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FOUND = """async () => (await axe.run()).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)"""
TABS = {
    "Event": ".event-title",
    "History": ".chart canvas",
    "Values": ".value-table",
    "Graph": ".graph-svg .graph-node",
}


@functools.cache
def axe() -> str:
    assert AXE.is_file(), f"{AXE} is not there: run `make page`"
    return AXE.read_text(encoding="utf-8")


@contextmanager
def themed(browser: Any, problems: list[str], theme: str) -> Iterator[Any]:
    """A page in light or dark, into which axe may be brought, as the policy of the page would not let it in."""
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        yield page


def check(page: Any) -> None:
    """Lets axe look at what is shown now."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.evaluate(axe())
    assert page.evaluate(FOUND) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", list(TABS))
def test_nothing_is_found(browser: Any, problems: list[str], digits_link: str, tab: str, theme: str) -> None:
    with themed(browser, problems, theme) as page:
        page.goto(digits_link)
        page.locator(".event-title", has_text="Log:0").wait_for()
        page.get_by_role("tab", name=tab).click()
        page.locator(TABS[tab]).first.wait_for()
        page.locator(".cm-line.code-chosen").wait_for()
        check(page)
    assert problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_found_in_what_opens_over_the_page(
    browser: Any, problems: list[str], digits_link: str, theme: str
) -> None:
    with themed(browser, problems, theme) as page:
        page.goto(digits_link)
        page.locator(".event-title", has_text="Log:0").wait_for()
        page.keyboard.press("Control+k")
        page.locator(".palette-option").first.wait_for()
        check(page)
        page.keyboard.type("probs")
        page.locator(".palette-option", has_text="probs").first.wait_for()
        check(page)
        page.keyboard.press("Escape")
        page.locator("dialog.palette").wait_for(state="hidden")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Help").wait_for()
        check(page)
        page.keyboard.type("nothing has this")
        page.get_by_text("0 entries").wait_for()
        check(page)
        page.keyboard.press("Escape")
        page.locator("summary", has_text="Panels").click()
        check(page)
    assert problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_found_in_every_form_of_the_graph(
    browser: Any, problems: list[str], digits_link: str, theme: str
) -> None:
    with themed(browser, problems, theme) as page:
        page.goto(digits_link)
        page.locator(".event-title", has_text="Log:0").wait_for()
        page.get_by_role("tab", name="Graph").click()
        page.get_by_role("button", name="Backward pass").click()
        page.get_by_role("button", name="Constants").click()
        check(page)
        page.get_by_role("button", name="Large").click()
        check(page)
        page.get_by_role("button", name="List").click()
        check(page)
        page.get_by_role("button", name="Around").click()
        check(page)
    assert problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_found_where_something_is_wrong_with_the_run_or_the_link(
    browser: Any, problems: list[str], digits_link: str, two_troubles_link: str, failed_link: str, theme: str
) -> None:
    with themed(browser, problems, theme) as page:
        for link, shown in (
            (f"{digits_link}#view=overview", ".map-cells"),
            (two_troubles_link, ".event-title"),
            (failed_link, ".finding"),
            (f"{digits_link}#run=nonexistent", "[role=alert]"),
        ):
            page.goto("about:blank")
            page.goto(link)
            page.locator(shown).first.wait_for()
            check(page)
    assert problems and all("404" in problem for problem in problems)
    problems.clear()


@pytest.fixture(scope="module")
def saved(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that `tdbg report` wrote."""

    def make(folder: Path) -> None:
        folder.mkdir()
        command = [sys.executable, "-m", "tensordbg", "report", str(digits), "-o", str(folder / "report.html")]
        programs.run(command, check=True, capture_output=True)

    return shared(tmp_path_factory, "saved-for-axe", make) / "report.html"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_found_in_a_saved_page(browser: Any, problems: list[str], saved: Path, theme: str) -> None:
    with themed(browser, problems, theme) as page:
        page.goto(saved.as_uri())
        page.locator(".event-title", has_text="Log:0").wait_for()
        check(page)
        page.keyboard.press("o")
        page.locator(".map-cells").first.wait_for()
        check(page)
        # The report as text, which stands in the page for whoever has no JavaScript; axe itself needs it.
        text = re.search("<noscript>(.*)</noscript>", saved.read_text(encoding="utf-8"), re.DOTALL)
        assert text is not None
        page.set_content(f'<!doctype html><html lang="en"><title>tensordbg</title><body>{text[1]}')
        page.get_by_role("heading", name="digits_nan").wait_for()
        check(page)
    assert problems == []
