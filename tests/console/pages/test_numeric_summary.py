from __future__ import annotations

import numpy as np

from tensordbg.console.pages.numeric_summary import summary_lines
from tensordbg.console.pages.page import plain
from tensordbg.health import measure
from tensordbg.model import Health


def said(health: Health) -> list[str]:
    lines = summary_lines(health)
    return [plain(line) for line in lines.part(0, len(lines))]


def test_only_what_is_there_is_counted() -> None:
    assert said(measure(np.array([-np.inf, -np.inf], dtype=np.float32))) == ["| -inf | total |", "|    2 |     2 |"]


def test_the_extent_is_of_the_finite_elements() -> None:
    found = said(measure(np.array([np.nan, -1, 0, 3], dtype=np.float32)))
    assert found[0] == "| nan | - | 0 | + | total |"
    assert found[1] == "|   1 | 1 | 1 | 1 |     4 |"
    assert [cell.strip() for cell in found[3].strip("|").split("|")][:2] == ["-1", "3"]


def test_what_was_not_measured_is_left_out() -> None:
    assert said(Health(4, nan=1, unmeasured=("zero", "negative", "positive", "min", "max"))) == [
        "| nan | total |",
        "|   1 |     4 |",
    ]
