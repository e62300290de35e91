from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.console.pages.page import plain
from tensordbg.console.pages.writing import write_elements
from tensordbg.errors import UsageError


def test_elements_are_written_for_numpy(tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3)
    told = write_elements(array, str(tmp_path / "a.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)
    assert plain(told.lines(0, 1)[0]) == f"Saved value to: {tmp_path / 'a.npy'} (176B), float64[2, 3]"


def test_what_can_not_be_written_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing is overwritten"):
        write_elements(np.zeros(1), str(tmp_path))
    with pytest.raises(UsageError, match="can't be written"):
        write_elements(np.zeros(1), str(tmp_path / "no" / "a.npy"))
