from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer, text


def test_tensors_in_backticks_are_computed_with(standing: Console) -> None:
    # To the last bit a sum of probabilities is that of the processor.
    said = answer(standing, 'ev "np.round(np.sum(`Softmax:0`, axis=1)[:2], 3)"')
    assert said[0] == 'Evaluation of "np.round(np.sum(`Softmax:0`, axis=1)[:2], 3)":'
    assert "  shape: (2,)" in said
    assert said[-1] == "[1., 1.]"
    assert answer(standing, 'ev "`Log:0`[0, :1] < 1"')[-1] == "[True]"


def test_a_number_chooses_among_several(console: Console) -> None:
    assert answer(console, 'ev "np.all(np.isfinite(`Log:0@0`))"')[-1] == "True"
    assert answer(console, 'ev "np.all(np.isfinite(`Log:0`))"')[-1] == "False"


def test_the_result_can_be_written(standing: Console, tmp_path: Path) -> None:
    standing.answer(f'ev "`Softmax:0` * 2" -w {tmp_path / "twice.npy"}')
    assert np.load(tmp_path / "twice.npy").shape == (32, 4)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("`Log:0`.T", "'`Log:0`.T' is not allowed"),
        ("__import__('os')", "'__import__' is not allowed"),
        ("Log", "no name 'Log'; tensors stand in backticks"),
        ("`Lug:0` + 1", "no tensor 'Lug:0' was recorded; did you mean 'Log:0'"),
        ("`Log:0 + 1", "a backtick in '`Log:0 \\+ 1' is left open"),
        ("`Log:0` @ `Log:0`", "can't be computed"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(standing: Console, expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        standing.answer(f'ev "{expression}"')
    assert "\n" not in str(caught.value)
    assert "tensor_0" not in str(caught.value)


def test_help_lists_the_functions(console: Console) -> None:
    assert "linalg.norm" in text(console, "help ev")
