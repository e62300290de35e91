"""The page of `tdbg report`, opened as a file, and in a notebook's cell: there is no server, and nothing is loaded."""

from __future__ import annotations

import functools
import http.server
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import tensordbg
from tensordbg import notebook
from tests import programs
from tests.e2e.page.recorded import record, shared

Cell = Callable[[notebook.Shown], Any]


@pytest.fixture(scope="module")
def saved(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file, in a folder whose name has to be quoted in a link."""

    def make(folder: Path) -> None:
        folder.mkdir()
        command = [sys.executable, "-m", "tensordbg", "report", str(digits), "-o", str(folder / "a #1 report.html")]
        programs.run(command, check=True, capture_output=True)

    return shared(tmp_path_factory, "saved", make) / "a #1 report.html"


@pytest.fixture
def requests(page: Any) -> list[str]:
    """The addresses that the page asks for."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


@pytest.fixture
def cell(page: Any, tmp_path: Path) -> Iterator[Cell]:
    """Puts what is shown into a page of a server of its own, as a notebook does; gives the frame."""
    handler = functools.partial(Quiet, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def show(shown: notebook.Shown) -> Any:
            head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>notebook</title>'
            (tmp_path / "notebook.html").write_text(head + shown.html, encoding="utf-8")
            page.goto(f"http://localhost:{server.server_address[1]}/notebook.html")
            return page.frame_locator("iframe")

        yield show
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing."""

    def log_message(self, *said: object) -> None:
        pass


def walk_to_the_source(where: Any) -> None:
    """From the finding to the input that holds the zero to the line that made it."""
    where.locator(".finding-details").get_by_role("link", name="probs:0").click()
    event = where.get_by_role("region", name="Event", exact=True)
    event.get_by_role("heading", name="probs:0").wait_for()
    assert re.search(r"\b1 zero", event.inner_text())
    where.locator(".cm-line.code-chosen").get_by_text("probs = tf.nn.softmax(logits").wait_for()


def test_it_is_small_enough_to_attach(saved: Path) -> None:
    assert 100_000 < saved.stat().st_size <= 3_000_000


def test_from_the_finding_to_the_source_line(page: Any, saved: Path, requests: list[str]) -> None:
    page.goto(saved.as_uri())
    walk_to_the_source(page)
    assert page.title().startswith("probs:0")
    assert requests == [saved.as_uri()]


def test_every_state_has_its_link(page: Any, saved: Path) -> None:
    page.goto(saved.as_uri())
    walk_to_the_source(page)
    link = page.url
    assert link.startswith(f"{saved.as_uri()}#")
    page.go_back()
    page.get_by_role("region", name="Event", exact=True).get_by_role("heading", name="Log:0").wait_for()
    page.goto("about:blank")
    page.goto(link)
    page.get_by_role("region", name="Event", exact=True).get_by_role("heading", name="probs:0").wait_for()


def test_history_elements_and_graph_of_a_finding(page: Any, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.get_by_role("tab", name="History").click()
    page.locator(".uplot").first.wait_for()
    page.get_by_role("tab", name="Values").click()
    page.locator("[role=tabpanel]").get_by_text("-inf").first.wait_for()
    page.get_by_role("tab", name="Graph").click()
    page.locator("[role=tabpanel] svg text", has_text="Softmax").first.wait_for()


def test_the_table_is_searched_and_sorted(page: Any, saved: Path) -> None:
    page.goto(saved.as_uri())
    field = page.get_by_role("combobox", name=re.compile("Search"))
    field.fill("op:Softmax step:3")
    field.press("Enter")
    page.get_by_text(re.compile(r"^1 event")).wait_for()
    assert page.locator("[role=row]", has_text="probs:0").count() >= 1


def test_what_is_not_there_is_said(page: Any, saved: Path) -> None:
    page.goto(f"{saved.as_uri()}#event=4000")
    sentence = "This saved page does not hold the event 4000; open the trace with `tdbg view`."
    page.get_by_text(sentence.replace("`", "")).or_(page.get_by_text(sentence)).first.wait_for()


def test_it_says_what_it_is(page: Any, saved: Path) -> None:
    page.goto(saved.as_uri())
    told = re.compile(r"saved on \d{4}-.* it holds what surrounds the findings")
    page.locator(".bar-saved", has_text=told).wait_for()
    # In a line of its own, so that the bar keeps its form.
    assert page.locator(".bar-saved").bounding_box()["width"] == 1280
    assert page.locator(".bar").bounding_box()["height"] < 70
    page.get_by_text("About the recording").click()
    page.locator(".findings-notes").get_by_text(told).wait_for()


FINE = """\
import tensorflow as tf

@tf.function
def step(x):
    return tf.reduce_sum(tf.square(x))

for _ in range(3):
    step(tf.constant([1.0, 2.0]))
"""


def test_the_page_of_a_run_in_which_nothing_is_wrong(page: Any, tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text(FINE)
    record(tmp_path / "traces", str(tmp_path / "fine.py"))
    report = tmp_path / "report.html"
    command = [sys.executable, "-m", "tensordbg", "report", str(tmp_path / "traces"), "-o", str(report)]
    programs.run(command, check=True, capture_output=True)
    page.goto(report.as_uri())
    page.get_by_role("region", name="Verdict").get_by_text("tensors were finite").wait_for()
    page.locator(".bar-saved", has_text=re.compile(r"saved on \d{4}-.* from .*traces")).wait_for()
    page.get_by_role("button", name="All tensors").click()
    page.locator(".events-rows [role=row]", has_text="Square").first.wait_for()
    page.locator(".code").get_by_text("return tf.reduce_sum(tf.square(x))").wait_for()


def test_the_saved_page_in_a_cell(page: Any, digits: Path, requests: list[str], cell: Cell) -> None:
    walk_to_the_source(cell(tensordbg.show(digits, saved=True)))
    assert requests == [page.url]
    assert page.title() == "notebook"


@pytest.fixture
def servers() -> Iterator[None]:
    yield
    for server in notebook._servers.values():
        server.stop()
    notebook._servers.clear()


def test_the_servers_page_in_a_cell(page: Any, digits: Path, servers: None, cell: Cell) -> None:
    walk_to_the_source(cell(tensordbg.show(digits, saved=False)))
    assert page.title() == "notebook"


def test_a_cell_shows_its_copy_once_the_kernel_is_gone(
    page: Any, digits: Path, servers: None, cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "_is_elsewhere", lambda _: False)
    shown = tensordbg.show(digits)
    cell(shown)
    page.wait_for_function("document.querySelector('object').contentWindow !== null")
    expect(page.locator("iframe")).not_to_be_visible()
    page.frame(url=re.compile(re.escape(shown.link))).locator(".finding").first.wait_for()
    page.goto("about:blank")
    notebook._servers.pop(digits.resolve()).stop()
    copy = cell(shown)
    copy.get_by_text("it holds what surrounds the findings").first.wait_for()
    walk_to_the_source(copy)


def test_without_javascript_it_tells_the_findings(browser: Any, saved: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(saved.as_uri())
    expect(page.get_by_role("heading", name="Log made 1 × -inf")).to_be_visible()
    # Playwright's own search for text leaves out what is in such an element.
    told = page.locator("noscript").inner_text()
    assert "digits_nan.py:53, in unstable_loss(), step 3" in told
    assert "softmax_cross_entropy_with_logits" in told
    context.close()
