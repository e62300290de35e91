from __future__ import annotations

import numpy as np

from tensordbg.analysis.view.progress.lines import ProgressLine
from tensordbg.analysis.view.progress.measures import Cells
from tensordbg.analysis.view.progress.rows import ProgressRow
from tensordbg.analysis.view.progress.sights import find_sights

ROWS = (ProgressRow("first", "Dense", 0), ProgressRow("second", "Dense", 0))


def cells(*rows: list[float]) -> Cells:
    """A value in each step of each row."""
    places = [(row, step, value) for row, values in enumerate(rows) for step, value in enumerate(values)]
    row, step, value = (np.array(column) for column in zip(*places, strict=True)) if places else (np.zeros(0),) * 3
    return Cells(row.astype(np.int64), step.astype(np.int64), value.astype(np.float64), np.arange(len(places)))


def texts(**measures: Cells) -> list[str]:
    empty = cells()
    known = {"activations": empty, "gradients": empty, "zeros": empty, **measures}
    return [sight.text for sight in find_sights(ROWS, ROWS, known, ())]


def test_nothing_stands_out() -> None:
    assert texts() == []
    assert (
        texts(activations=cells([1.0] * 9, [2.0] * 9), gradients=cells([1.0], [2.0]), zeros=cells([0.2], [0.4])) == []
    )


def test_what_grew_or_shrank_the_most() -> None:
    assert texts(activations=cells([1.0, 1, 1, 1, 8.0], [4.0] * 5)) == [
        "what first puts out grew to 8 times its size over the steps"
    ]
    assert texts(activations=cells([1.0] * 5, [4.0, 4, 4, 4, 1.0])) == [
        "what second puts out shrank to 1/4 of its size over the steps"
    ]
    assert texts(activations=cells([1.0, 8.0])) == []


def test_gradients_far_apart_and_many_zeros() -> None:
    assert texts(gradients=cells([0.001], [0.5])) == ["the gradient of first is 0.001 at the end, that of second 0.5"]
    assert texts(zeros=cells([0.9, 0.2], [0.1, 0.75])) == ["75% of what second puts out at the end is zero"]


def test_how_the_loss_went() -> None:
    line = ProgressLine("loss", "loss:0", (0, 1, 2, 3, 1000), (2.0, 1.0, 0.5, 0.75, 1.0), (5, 6, 7, 8, 9))
    empty = cells()
    (sight,) = find_sights(ROWS, ROWS, {"activations": empty, "gradients": empty, "zeros": empty}, (line,))
    assert sight.text == "the loss loss:0 went from 2 to 1 between steps 0 and 1,000, with a low of 0.5 in between"
    assert sight.event == 9
