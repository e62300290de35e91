"""Two runs side by side: where they part, the error behind, and both sides of what is chosen."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page
from tests.e2e.page.recorded import ROOT, record, shared
from tests.e2e.page.serving import QUIET
from tests.e2e.page.test_accessibility import AXE, FOUND

MODEL = """\
import tensorflow as tf

w = tf.Variable(tf.random.stateless_normal([6, 5], [1, 2]))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        h = tf.matmul(x, w)
        h = tf.nn.{activation}(h)
        loss = tf.reduce_mean(tf.square(h - 0.25))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


for k in range(3):
    step(tf.random.stateless_normal([4, 6], [k, 7]))
"""


def record_both(folder: Path) -> None:
    """A program, and the same with another activation."""
    for name, activation in (("reference", "tanh"), ("port", "softsign")):
        program = folder / f"{name}.py"
        program.parent.mkdir(exist_ok=True)
        program.write_text(MODEL.format(activation=activation))
        record(folder / name, str(program))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "two-runs", record_both)


@pytest.fixture
def panel(page: Any, runs: Path, serve: Callable[..., str]) -> Any:
    """The panel of the two runs, once they are compared."""
    page.goto(serve(runs / "port", "--against", str(runs / "reference")))
    panel = page.get_by_role("region", name="Two runs")
    panel.get_by_text("The runs compute unlike values from equal ones, in step 0.").wait_for()
    return panel


def test_both_sides_stand_at_the_line_where_they_part(panel: Any) -> None:
    for side, line in (("A, the reference", "tf.nn.tanh(h)"), ("B", "tf.nn.softsign(h)")):
        column = panel.get_by_role("region", name=side, exact=True)
        expect(column.locator(".diff-line-chosen")).to_contain_text(line)
        expect(column.get_by_role("img", name=re.compile("Timeline of .* was computed"))).to_be_visible()
    numbers = panel.locator(".diff-both")
    assert numbers.get_by_role("row", name=re.compile("^tensor")).inner_text().split()[1:] == ["Tanh:0", "Softsign:0"]
    assert "diff-unlike" in (numbers.get_by_role("row", name=re.compile("^max")).get_attribute("class") or "")


def test_what_came_in_is_drawn_behind_what_was_made(panel: Any) -> None:
    states = [each.get_attribute("class").split()[1] for each in panel.locator(".diff-bar").all()]
    assert states.count("diff-added") == 1
    assert "diff-equal" in states[: states.index("diff-added")]
    assert "diff-inherited" in states[states.index("diff-added") :]


def test_one_choice_moves_both_sides_and_is_kept_in_the_link(page: Any, panel: Any) -> None:
    pairs = panel.get_by_role("region", name="Pairs of values")
    pairs.get_by_role("link", name=re.compile("matmul", re.IGNORECASE)).first.click()
    for side in ("A, the reference", "B"):
        column = panel.get_by_role("region", name=side, exact=True)
        expect(column.locator(".diff-line-chosen")).to_contain_text("tf.matmul(x, w)")
    address = page.url
    page.reload()
    expect(panel.locator(".diff-line-chosen").first).to_contain_text("tf.matmul(x, w)")
    assert page.url == address
    slider = panel.get_by_role("slider", name="Value along the data flow")
    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("came in"))
    assert page.url != address


def test_a_step_is_chosen_in_both_runs(panel: Any) -> None:
    steps = panel.get_by_role("navigation", name="Steps")
    steps.get_by_role("button", name="2").click()
    expect(panel.get_by_role("figure", name="Error along the data flow, step 2")).to_be_visible()
    expect(steps.get_by_role("button", name="2")).to_have_attribute("aria-pressed", "true")


def test_another_run_is_chosen_from_the_page(page: Any, runs: Path, serve: Callable[..., str]) -> None:
    page.goto(serve(runs))
    page.get_by_role("button", name="Compare").click()
    panel = page.get_by_role("region", name="Two runs")
    panel.get_by_text("Choose the run to compare this one with.").wait_for()
    panel.get_by_role("combobox").select_option(index=1)
    panel.get_by_text("The runs compute unlike values from equal ones").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read_by_everybody(
    browser: Any, problems: list[str], runs: Path, serve: Callable[..., str], theme: str
) -> None:
    # The policy of the page would not let axe in.
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        page.goto(serve(runs / "port", "--against", str(runs / "reference")))
        page.locator(".diff-lines").nth(1).wait_for()
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        assert page.evaluate(FOUND) == []


def test_diff_gives_the_link(runs: Path) -> None:
    words = [sys.executable, "-m", "tensordbg", "diff", str(runs / "reference"), str(runs / "port"), "--view"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=QUIET, cwd=ROOT) as process:
        assert process.stdout is not None
        said = next(line for line in process.stdout if "http://" in line)
        assert re.search(r"#run=\S+&view=diff&against=\S+", said)
        process.send_signal(2)
        process.stdout.read()
    assert process.returncode == 1


def test_numbers_of_the_list_of_pairs_stay_whole_on_a_small_screen(page: Any, panel: Any) -> None:
    cells = panel.locator(".diff-pairs td:nth-child(n + 3)")
    cells.first.wait_for()
    panel.evaluate("panel => { panel.style.width = '640px' }")
    spread = cells.evaluate_all(
        "cells => cells.map(cell => { const range = document.createRange(); range.selectNodeContents(cell); "
        "const ends = [...range.getClientRects()].map(({ bottom }) => bottom); "
        "return Math.max(...ends) - Math.min(...ends); })"
    )
    assert max(spread) < 8, spread
