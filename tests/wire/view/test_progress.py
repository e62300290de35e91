from __future__ import annotations

import numpy as np

from tensordbg.analysis.view.progress.lines import ProgressLine
from tensordbg.analysis.view.progress.reading import Progress, ShownRow
from tensordbg.analysis.view.progress.rows import ProgressRow
from tensordbg.analysis.view.progress.sights import Sight
from tensordbg.wire.view.progress import progress_view


def test_numbers_have_few_digits_and_what_is_not_there_is_null() -> None:
    row = ShownRow(ProgressRow("dense", "Dense", 1), np.array([1 / 3, np.nan]), np.array([7, -1]))
    line = ProgressLine("loss", "loss:0", (0,), (0.123456,), (3,))
    sight = Sight("look", 7, "zeros")
    view = progress_view(Progress("zeros", ("zeros",), (0, 1), 1, (row,), 2, (line,), (sight,)))
    assert (view.rows[0].values, view.rows[0].events) == ((0.3333, None), (7, None))
    assert view.lines[0].values == (0.1235,)
    assert (view.left_out, view.sights[0].event) == (2, 7)
