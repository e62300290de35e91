from __future__ import annotations

from tensordbg.analysis.failures.beginnings.cuts import cut
from tests.analysis.beginnings.drawn import Drawn

MESSAGE = "element 0 of tensors does not require grad and does not have a grad_fn"


def test_the_last_operation_that_no_gradient_goes_through() -> None:
    past = Drawn()
    out = past.made("aten::addmm", [8, 3], past.made("Parameter", [3]))
    chosen = past.made("aten::argmax", [8], out, dtype="int64")
    right = past.made("aten::eq", [8], chosen, past.made("Input", [8], dtype="int64"), dtype="bool")
    loss = past.made("aten::mean", [], past.made("aten::_to_copy", [8], right))
    turn = cut(past, MESSAGE, [loss])
    assert turn is not None
    assert (turn.made, turn.given) == (chosen, (out,))


def test_what_has_a_slope_throughout_was_cut_by_what_is_no_operation() -> None:
    past = Drawn()
    assert cut(past, MESSAGE, [past.made("aten::mean", [], past.made("Parameter", [3]))]) is None


def test_no_other_error_is_looked_into() -> None:
    past = Drawn()
    made = past.made("aten::argmax", [8], past.made("Parameter", [8, 3]), dtype="int64")
    assert cut(past, "out of memory", [made]) is None
