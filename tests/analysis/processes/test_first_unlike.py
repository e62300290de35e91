"""Where two processes first had unlike values in a variable."""

from __future__ import annotations

from tensordbg.analysis.processes.first_unlike import first_unlike
from tests.trace.sums.test_totals import trained


def test_the_first_value_that_is_unlike() -> None:
    unlike = first_unlike(trained(1.0, 2.0, 3.5), trained(1.0, 2.0, 3.0), range(3))
    assert unlike is not None
    assert unlike.alike == 1
    assert (unlike.variable, unlike.step, unlike.tensor, unlike.here, unlike.there) == ("w", 2, "aten::add_:0", 4.5, 4)
    assert unlike.source is not None
    assert unlike.source.file == "/home/me/train.py"


def test_only_the_steps_that_are_asked_for_are_compared() -> None:
    assert first_unlike(trained(1.0, 2.5, 3.0), trained(1.0, 2.0, 3.0), range(2, 3)) is None


def test_what_only_one_has_is_passed_over() -> None:
    assert first_unlike(trained(1.0, 2.0), trained(1.0), range(2)) is None
