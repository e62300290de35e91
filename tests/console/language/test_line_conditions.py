"""Conditions over Python names: what they ask for, when they hold, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.console.language.line_conditions import parse_line_condition
from tensordbg.errors import UsageError


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("loss > 10", {"loss": np.float32(11)}, True),
        ("loss > 10", {"loss": np.array([1.0, 11.0])}, True),
        ("all(loss > 10)", {"loss": np.array([1.0, 11.0])}, False),
        ("nan(loss)", {"loss": np.array([1.0, np.nan])}, True),
        ("inf(loss) or not finite(loss)", {"loss": np.array([1.0, 2.0])}, False),
        ("x.shape[0] != 32 and self.n > 2", {"x": np.zeros((3, 2)), "self.n": 3}, True),
        ("max(abs(x)) == inf", {"x": np.ones(3)}, False),
        ("i == 3", {"i": 3}, True),
    ],
)
def test_it_holds(text: str, values: dict[str, Any], holds: bool) -> None:
    condition = parse_line_condition(text)
    assert condition.asked == set(values)
    assert condition.holds(values.__getitem__) is holds


@pytest.mark.parametrize("text", ["loss >", "", "open('x')", "loss.numpy()", "__import__('os')", "[x for x in y]"])
def test_what_is_no_condition_is_refused_at_once(text: str) -> None:
    with pytest.raises(UsageError):
        parse_line_condition(text)
