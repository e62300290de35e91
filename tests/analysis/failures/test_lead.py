from __future__ import annotations

import pytest

from tensordbg.analysis.failures.lead import failure_lead, failure_name, message_and_inputs, message_of_one_line
from tensordbg.analysis.finding import Beginning, InputView, ProgramFailure, SourceLine, TensorView
from tensordbg.model import Health

LINE = SourceLine("/home/me/train.py", 4, "pick", True, "tf.gather(table, twice)")


def failure(message: str, inputs: tuple[InputView, ...] = (), op: str = "GatherV2", **more: object) -> ProgramFailure:
    return ProgramFailure("InvalidArgumentError", message, op, op, "", 0, LINE, (), inputs, **more)  # type: ignore[arg-type]


def whole(name: str, low: float, high: float, elements: str = "") -> InputView:
    health = Health(size=3, min=low, max=high)
    view = TensorView(0, name, name, "Mul", 1, 0, "", 1, 0, None, "", "int32", (3,), health)
    return InputView(name, "Mul", view, elements=elements)


def stated(name: str, dtype: str, shape: tuple[int, ...], elements: str = "") -> InputView:
    return InputView(name, "", None, dtype=dtype, shape=shape, elements=elements)


OUT_OF_RANGE = "indices[2] = 14 is not in [0, 10)"
RAISED = "raised InvalidArgumentError in GatherV2, train.py:4"


def test_the_input_that_holds_the_number_is_told_with_its_elements() -> None:
    inputs = (whole("params", 0, 9, "[0, 5, 9]"), whole("mul:0", 2, 14, "[2, 4, 14]"))
    told = failure_lead(failure(OUT_OF_RANGE, inputs))
    assert told == f"{RAISED}: indices[2] = 14 is not in [0, 10); its input mul:0 is [2, 4, 14]"


def test_where_elements_are_not_known_the_type_is_told() -> None:
    assert failure_lead(failure(OUT_OF_RANGE, (whole("mul:0", 2, 14),))).endswith("; its input mul:0 is int32[3]")


def test_shapes_are_told_of_all_inputs() -> None:
    inputs = (stated("x", "float32", (4, -1), "[[1, 2]]"), stated("y", "float32", (2,), "[1, 2]"))
    told = failure_lead(failure("Incompatible shapes", inputs))
    assert told == f"{RAISED}: Incompatible shapes; its inputs are x float32[4, ?] and y float32[2]"


@pytest.mark.parametrize("said", ["of [4,3] and [2]", "of (4, 3) and (2,)"])
def test_what_the_message_tells_is_not_told_again(said: str) -> None:
    inputs = (stated("x", "float32", (4, 3)), stated("y", "float32", (2,)))
    assert failure_lead(failure(said, inputs)) == f"{RAISED}: {said}"


def test_what_an_assertion_compared_is_told_by_where_it_began() -> None:
    began = Beginning("value", "total", "Sum:0", "Sum", "Sum:0 made 3 of 1 to 2", None)
    inputs = (stated("total", "float32", (), "3"), stated("limit", "float32", (), "4"))
    assert failure_lead(failure("assertion failed", inputs, beginnings=(began,))).endswith("; its input total is 3")


def test_below_its_name_an_error_is_told_in_full_with_what_was_given() -> None:
    inputs = (stated("x", "float32", (4,)), stated("y", "float32", (2,)))
    whole_error = failure("InvalidArgumentError: shapes differ\nin the second line.", inputs)
    assert failure_name(whole_error) == "InvalidArgumentError in GatherV2"
    assert failure_name(failure("", op="", layer="net/head")) == "InvalidArgumentError in layer net/head"
    assert message_and_inputs(whole_error) == (
        "shapes differ\nin the second line; its inputs are x float32[4] and y float32[2]"
    )
    assert message_and_inputs(failure("refused.")) == "refused."


def test_a_layer_and_a_process_are_named() -> None:
    told = failure_lead(failure("refused", (), op="", layer="net/head", process="worker 1"))
    assert told == "worker 1 raised InvalidArgumentError in layer net/head, train.py:4: refused"


def test_of_the_message_the_first_line_counts() -> None:
    assert message_of_one_line("\n first:\nsecond") == "first"
    assert message_of_one_line("word " * 100).endswith("word ...")
    prefix = "Error in user-defined function passed to MapDataset:1 transformation with iterator: Iterator::Root::Map: "
    assert message_of_one_line(f"{prefix}bad") == "bad"
    assert failure_lead(failure("InvalidArgumentError: bad")) == f"{RAISED}: bad"
