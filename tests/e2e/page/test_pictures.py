"""The pictures of the page in the manual and the README: all can be made anew, and all are shown."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "docs" / "images"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = ROOT / "docs" / "make_page_pictures.py"
    spec = importlib.util.spec_from_file_location("make_page_pictures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.EFFORT = 0
    return module


def test_each_is_made_by_a_browser_from_a_real_trace(script: ModuleType, digits: Path, tmp_path: Path) -> None:
    script.draw_all(digits, tmp_path)
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {path.name for path in IMAGES.glob("page*.webp")}
    for name in made:
        with Image.open(tmp_path / name) as now, Image.open(IMAGES / name) as then:
            assert len(now.convert("RGB").resize((40, 40)).getcolors(1600)) > 20, f"{name} is blank"
            # Of the same part of the page: an old picture of a panel that has changed its place is none.
            assert abs(now.width - then.width) <= 60, name
            assert getattr(now, "n_frames", 1) == getattr(then, "n_frames", 1)


def test_the_manual_shows_each() -> None:
    shown = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        shown |= set(re.findall(r"images/(page[\w-]*\.webp)", page.read_text()))
    assert shown == {path.name for path in IMAGES.glob("page*.webp")}


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.glob("page*.webp")) < 700_000
