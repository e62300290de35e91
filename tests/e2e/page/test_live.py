"""The page follows a program that runs."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.serving import QUIET

# It trains until it is told to stop, and goes wrong when it is told to.
PROGRAM = """
import pathlib
import time

import tensorflow as tf

weight = tf.Variable(1.0)


@tf.function
def train_step(x):
    loss = tf.math.log(x) * weight
    weight.assign_sub(0.001 * loss)
    return loss


while not pathlib.Path("stop").exists():
    train_step(tf.constant(0.0 if pathlib.Path("break").exists() else 2.0))
    time.sleep(0.05)
"""


@dataclass(frozen=True)
class Program:
    """A program under `tdbg run`."""

    folder: Path
    process: subprocess.Popen[bytes]

    def tell(self, word: str) -> None:
        (self.folder / word).touch()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """It runs, and its trace has begun."""
    (tmp_path / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "tensordbg", "run", "--out", "traces", "train.py"]
    process = subprocess.Popen(command, cwd=tmp_path, env=QUIET, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running = Program(tmp_path, process)
    while not list(tmp_path.glob("traces/*/trace.json")):
        assert process.poll() is None
        time.sleep(0.1)
    yield running
    running.tell("stop")
    assert process.wait(timeout=120) == 0


def shown_total(page: Any) -> int:
    """How many events the table says that there are."""
    found = re.search(r"([\d,]+) events", page.locator(".panel-events").inner_text())
    return int(found[1].replace(",", "")) if found else 0


def wait_for_more(page: Any, than: int) -> int:
    for _ in range(600):
        if (now := shown_total(page)) > than:
            return now
        page.wait_for_timeout(100)
    raise AssertionError(f"the table stays at {than} events")


def test_events_and_findings_come_in_by_themselves(page: Any, program: Program, serve: Callable[..., str]) -> None:
    page.goto(serve(program.folder / "traces"))
    expect(page.locator(".bar-status")).to_have_text(re.compile(r"running, [\d,]+ events?/s"))
    expect(page.locator(".bar-follow")).to_have_text("following")
    wait_for_more(page, than=wait_for_more(page, than=0))
    extent = page.locator(".timeline-extent")
    expect(extent).not_to_have_text(extent.inner_text(), timeout=60_000)
    assert page.locator(".finding").count() == 0
    expect(page).to_have_title(re.compile("^▶ train – "))
    first_icon = page.locator("link[rel=icon]").get_attribute("href")
    # What each line has computed is counted on, though nothing is chosen.
    counted = page.locator(".margin-mark[title*='Log: ']")
    expect(counted).not_to_have_attribute("title", counted.get_attribute("title"), timeout=60_000)

    program.tell("break")
    finding = page.locator(".finding-head", has_text="Log")
    finding.wait_for()
    # A tab behind others says so, and so does the page to who does not see it.
    expect(page).to_have_title(re.compile("^⚠ Log made .*– train – "))
    icon = page.locator("link[rel=icon]").get_attribute("href")
    assert icon != first_icon
    expect(page.locator(".bar [aria-live=polite]")).to_contain_text("not finite")

    # One who looks at it is left in peace.
    finding.click()
    expect(page.locator(".bar-follow")).to_have_text(re.compile("paused.* new events"))
    page.locator(".cm-line.code-chosen").get_by_text("tf.math.log(x)").wait_for()

    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".bar-follow")).to_have_text("following")
    wait_for_more(page, than=shown_total(page))

    program.tell("stop")
    expect(page.locator(".bar-status")).to_have_text(re.compile("exit code 0"), timeout=120_000)
    expect(page.locator(".bar-follow")).to_have_count(0)
    # It has ended: the page shows what went wrong.
    page.locator(".finding-head[aria-current=true]", has_text="Log").wait_for()
