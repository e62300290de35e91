from __future__ import annotations

from tensordbg.analysis.processes.matrix import STATES, read_matrix
from tensordbg.wire.view.matrix import matrix_view
from tests.analysis.processes.test_matrix import run, values


def test_numbers_have_few_digits_and_what_is_not_there_is_null() -> None:
    view = matrix_view(read_matrix(run(values([1 / 3], [1.0]), values([1 / 3])), "", 10))
    assert (view.measure, view.states, view.starts) == ("values", STATES, (0, 1))
    assert [(row.process, row.tensors, row.events) for row in view.rows] == [
        ("worker 0", (1, 1), (0, 1)),
        ("worker 1", (1, 0), (0, None)),
    ]
    assert view.rows[1].values == (0.3333, None)
    assert view.medians == (0.3333, 1.0)
    assert [view.states[state] for state in view.rows[1].states] == ["finite", "nothing"]
