"""The browser of the tests: chromium as the system has it, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# It looks for nothing outside of this machine.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# How long something may take to appear, in milliseconds: machines that test are busy with much else.
PATIENCE = 60_000
# What the browser says of a content-security policy that something went against.
VIOLATION = """
document.addEventListener('securitypolicyviolation', (event) =>
    console.error(`policy ${event.violatedDirective} is against ${event.blockedURI} ${event.sample}`));
"""


def find_chromium() -> str:
    """Its path; TENSORDBG_CHROMIUM names another one."""
    given = os.environ.get("TENSORDBG_CHROMIUM")
    found = given or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("no chromium here: install Debian's package chromium, or name a browser with TENSORDBG_CHROMIUM")
    return found


@contextmanager
def watched_page(browser: Any, problems: list[str], **options: Any) -> Iterator[Any]:
    """A page of its own, as a person who comes for the first time; what goes wrong in it is added to `problems`."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(VIOLATION)
    page = context.new_page()
    page.on("console", lambda said: problems.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        yield page
    finally:
        context.close()
