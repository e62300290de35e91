from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.predicates import OwnTest, read_predicates
from tensordbg.errors import UsageError
from tensordbg.trace.reader import open_trace

FILE = """
from math import isclose

def wide(tensor, value):
    return tensor.health.max > 3

def _helper(tensor, value):
    return True

def one(tensor):
    return True
"""


def test_the_files_own_public_functions_of_two_arguments_count(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FILE)
    assert list(read_predicates(tmp_path / "own.py")) == ["wide"]


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "is not there"), ("1 / 0", "raised ZeroDivisionError: division by zero; fix it"), ("x = 1", "holds no")],
)
def test_a_file_that_is_no_use_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "own.py").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_predicates(tmp_path / "own.py")


def test_where_the_function_raises_it_is_said_at_which_tensor(sample: Path) -> None:
    opened = OpenedTrace(open_trace(sample))
    with pytest.raises(UsageError, match=r"the filter 'bad' raised at .*: TypeError: .*; fix it"):
        OwnTest("bad", lambda tensor, value: value + 1).holds(opened, np.arange(2))
