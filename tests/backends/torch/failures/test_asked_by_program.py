"""A plain `assert` or `raise` of the program's own leads to where the shape came about of which it asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_failure_beginnings import answer_of, line_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def an_assertion() -> None:
    net = torch.nn.Linear(10, 1)
    x, y = torch.ones(16, 10), torch.ones(16)
    errors = net(x) - y  # HERE
    assert errors.shape == (16, 1)


def a_raise_for_a_size_with_a_name() -> None:
    def attend(q: torch.Tensor, heads: int) -> torch.Tensor:
        _, _, width = q.size()
        if width % heads:
            raise ValueError(f"{width} is no multiple of {heads}")
        return q

    x = torch.cat([torch.ones(2, 5, 8), torch.ones(2, 5, 2)], dim=-1)  # HERE
    attend(x.relu(), 4)


def a_size_that_is_missing() -> None:
    h = torch.ones(2, 5, 8).mean(1)  # HERE
    _batch, _time, _width = h.shape


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (an_assertion, "spread [16, 1] and [16] over each other, which gave [16, 16]"),
        (a_raise_for_a_size_with_a_name, "made [2, 5, 10] of [2, 5, 8] and [2, 5, 2]"),
        (a_size_that_is_missing, "made [2, 8] of [2, 5, 8]"),
    ],
)
def test_the_line_is_told_at_which_the_shape_came_about(program: Callable[[], None], said: str, tmp_path: Path) -> None:
    failure, _ = answer_of(program, tmp_path)
    (beginning,) = failure["beginnings"]
    assert said in beginning["explanation"]
    assert beginning["source"]["line"] == line_of(program)
