"""The tab in a real TensorBoard, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.sample_trace import make_sample_trace
from tests.tensorboard.test_plugin import tensorboard


def test_the_tab_is_dark_when_tensorboard_is(browser: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    make_sample_trace(tmp_path / "logs" / "sample")
    with tensorboard(tmp_path / "logs", tmp_path / "said") as board:
        page = browser.new_page(color_scheme="light")
        page.goto(f"{board.base_url}?darkMode=true#tensordbg")
        root = page.frame_locator("iframe").locator("html")
        expect(root).to_have_attribute("data-theme", "dark")
        page.evaluate("document.body.classList.remove('dark-mode')")
        expect(root).to_have_attribute("data-theme", "light")
        page.close()
