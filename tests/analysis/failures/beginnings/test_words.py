from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.analysis.failures.beginnings.words import of_dtype, of_number, of_shape, of_wrap
from tests.analysis.beginnings.drawn import Drawn


def test_what_was_made_of_other_tensors() -> None:
    past = Drawn()
    given = past.made("Fill", [32, 4], span=(1, 7))
    two = past.made("Const", dtype="int32", span=(2, 2))
    assert of_shape(Emergence(past.made("Reshape", [16, 8]), (given,))) == "Reshape:0 made [16, 8] of [32, 4]"
    assert of_dtype(Emergence(past.made("Cast", dtype="float64"), (given,))) == "Cast:0 made float64 of float32"
    assert of_number(Emergence(past.made("Mul"), (given, two)), 14) == "Mul:0 made 14 of 1 to 7 and 2"
    assert of_shape(Emergence(past.made("Where", [4, 1]), (given,))) == "Where:0 chose 4 out of [32, 4]"
    wrapped = Emergence(past.made("AddV2", dtype="uint8", span=(44, 44)), (two, given))
    assert of_wrap(wrapped) == "AddV2:0 of uint8 went round: 2 and 1 to 7 gave 44"


def test_a_broadcast() -> None:
    past = Drawn()
    column, row = past.made("Fill", [32, 1]), past.made("Fill", [32])
    told = of_shape(Emergence(past.made("Sub", [32, 32]), (column, row)))
    assert told == "Sub:0 spread [32, 1] and [32] over each other, which gave [32, 32]"


def test_what_was_made_of_nothing_that_is_known() -> None:
    past = Drawn()
    assert of_shape(Emergence(past.made("Fill", [32, 8]), ())) == "Fill:0 made [32, 8]"
    assert of_dtype(Emergence(past.made("Input", dtype="float64"), ())) == "it came in from Python with float64"
    batch = replace(past.made("IteratorGetNext", [2, 2]), earlier=((4, 2),))
    assert of_shape(Emergence(batch, ())) == (
        "IteratorGetNext:0 took it out of the input pipeline with [2, 2]; before, it gave [4, 2]"
    )
    argument = replace(past.made("Placeholder", [2, -1]), tensor="x:0")
    assert of_shape(Emergence(argument, ())) == "the argument x was given with [2, ?]"
    assert of_shape(Emergence(argument, (past.made("", [2, 4]),))) == "the argument x was given with [2, ?]"
    read = replace(past.made("ReadVariableOp", [3]), layer="model/dense")
    assert of_shape(Emergence(read, ())) == "the variable that ReadVariableOp:0 in layer model/dense read holds [3]"
