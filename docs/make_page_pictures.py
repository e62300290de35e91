"""Draws the pictures of the page in docs/images from a real trace: one of each panel, and the moving one of the README.

tdbg run --detail values --trace /tmp/digits_nan examples/digits_nan.py
python docs/make_page_pictures.py /tmp/digits_nan

A browser shows `tdbg view`, so they show what the page shows. It is chromium, or the one that TENSORDBG_CHROMIUM names.
`tests/e2e/page/test_pictures.py` makes them all anew with each run of the tests.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

IMAGES = Path(__file__).parent / "images"
MOVING = "page.webp"
SIZE = {"width": 1280, "height": 800}
# The moving picture is shown as wide as a README's column.
WIDTH = 1000
QUALITY = 60
EFFORT = 6
"""Of the encoder, from 0 to 6: half a minute of the most for what is kept."""


def headline(page: Any) -> Any:
    return page.locator(".headline")


def tab(name: str, ready: str) -> Callable[[Any], Any]:
    """A tab of the chosen event, once what it shows is there."""

    def show(page: Any) -> Any:
        page.get_by_role("tab", name=name, exact=True).click()
        page.locator(ready).first.wait_for()
        return page.get_by_role("region", name="Chosen event", exact=True)

    return show


def region(name: str) -> Callable[[Any], Any]:
    return lambda page: page.get_by_role("region", name=name, exact=True)


def large_graph(page: Any) -> Any:
    tab("Graph", ".graph-node")(page)
    page.get_by_role("button", name="Large").click()
    return page.locator(".graph-room")


def overview(page: Any) -> Any:
    leave_large(page)
    page.keyboard.press("o")
    return page.get_by_role("region", name="Overview", exact=True)


def leave_large(page: Any) -> None:
    button = page.get_by_role("button", name="Large")
    if button.count() and button.get_attribute("aria-pressed") == "true":
        button.click()


def palette(page: Any) -> Any:
    page.keyboard.press("Control+k")
    page.keyboard.type("probs")
    page.locator("dialog[open] [role=option]").first.wait_for()
    return page.locator("dialog[open]")


# In this order, on one page.
PANELS: dict[str, Callable[[Any], Any]] = {
    "headline": headline,
    "findings": region("Findings"),
    "timeline": region("Timeline"),
    "events": region("Tensor events"),
    "source": region("Source"),
    "event": tab("Event", ".event-title"),
    "history": tab("History", ".chart canvas"),
    "values": tab("Values", ".value-table"),
    "graph": large_graph,
    "overview": overview,
    "palette": palette,
}
# What the moving picture shows, and for how many milliseconds.
FRAMES: tuple[tuple[Callable[[Any], Any], int], ...] = (
    (headline, 3500),
    (tab("Values", ".value-table"), 2000),
    (tab("History", ".chart canvas"), 2000),
    (large_graph, 2500),
    (overview, 2500),
    (palette, 2000),
)


def main() -> None:
    trace = Path(sys.argv[1] if len(sys.argv) > 1 else "tdbg-traces")
    draw_all(trace, IMAGES)


def draw_all(trace: Path, folder: Path) -> None:
    """Draws every picture into a folder."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    browser_path = os.environ.get("TENSORDBG_CHROMIUM") or shutil.which("chromium")
    with served(trace) as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        for name, show in [*PANELS.items(), (MOVING, None)]:
            page = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce").new_page()
            page.goto(link)
            page.locator(".event-title").wait_for()
            if show is None:
                draw_moving(page, folder / name)
            else:
                draw_panel(page, show, folder / f"page-{name}.webp")
            page.context.close()
        browser.close()


def draw_panel(page: Any, show: Callable[[Any], Any], path: Path) -> None:
    part = show(page)
    settled(page)
    picture(part.screenshot()).save(path, quality=QUALITY + 15, method=EFFORT)


def draw_moving(page: Any, path: Path) -> None:
    frames, times = [], []
    for show, time in FRAMES:
        show(page)
        settled(page)
        whole = picture(page.screenshot())
        frames.append(whole.resize((WIDTH, round(whole.height * WIDTH / whole.width)), Image.Resampling.LANCZOS))
        times.append(time)
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=QUALITY, method=EFFORT
    )


def picture(shot: bytes) -> Image.Image:
    return Image.open(io.BytesIO(shot)).convert("RGB")


def settled(page: Any) -> None:
    """Waits until nothing is on its way any more."""
    page.wait_for_load_state("networkidle")
    page.locator("[aria-busy=true]").first.wait_for(state="detached")
    page.wait_for_timeout(400)


@contextmanager
def served(trace: Path) -> Iterator[str]:
    """The page of a trace."""
    command = [sys.executable, "-m", "tensordbg", "view", "--no-browser", str(trace)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        if found is None:
            raise SystemExit(f"{trace}: `tdbg view` shows no page of it")
        yield found[0]
    finally:
        server.terminate()
        server.communicate()


if __name__ == "__main__":
    main()
