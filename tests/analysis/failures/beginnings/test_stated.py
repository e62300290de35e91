from __future__ import annotations

import numpy as np

from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.stated import StatedPast
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.model import NONE, StatedTensor
from tests.analysis.builder import TraceBuilder


def line(stack: int) -> SourceLine | None:
    return None if stack == NONE else SourceLine("/me/train.py", stack, "step", True, "")


def test_a_view_is_called_by_what_it_shows() -> None:
    told = (
        StatedTensor("aten::view:0", "aten::view", "int64", (2, 4), 4, (1,)),
        StatedTensor("aten::mul:0", "aten::mul", "int64", (8,), 5),
    )
    past = StatedPast(told, line, None)
    (view,) = past.refused(1)
    assert view is not None
    assert past.name(view) == "aten::view:0 of aten::mul:0"


def test_tensors_are_followed_by_their_places_in_the_list() -> None:
    told = (
        StatedTensor("mul:0", "Mul", "float32", (-1, 8), 4, (1,)),
        StatedTensor("Reshape:0", "Reshape", "float32", (-1, 8), 5, attributes='{"T": "float32"}'),
    )
    past = StatedPast(told, line, None)
    (product,) = past.refused(1)
    assert product is not None
    assert (product.tensor, product.shape, product.source) == ("mul:0", (-1, 8), line(4))
    (before,) = past.inputs(product)
    assert before is not None
    assert (before.tensor, before.attributes, past.inputs(before)) == ("Reshape:0", {"T": "float32"}, [])
    assert len(past.refused(9)) == 2


def test_a_recorded_tensor_goes_on_in_the_recording() -> None:
    trace = TraceBuilder()
    x = trace.eager("Fill", values=np.ones([4, 3]))
    trace.eager("Tile", trace.output(x), values=np.ones([4, 6]))
    program = read_program(trace)
    recorded = RecordedPast(trace, program, read_executions(trace, program), 1)
    told = (StatedTensor("tensor", "", "float32", (4, 6), execution=2), StatedTensor("x", "", "", None, execution=99))
    past = StatedPast(told, line, recorded)
    tiled, unknown = past.refused(2)
    assert tiled is not None
    assert unknown is not None
    assert (tiled.tensor, tiled.shape) == ("Tile:0", (4, 6))
    (before,) = past.inputs(tiled)
    assert before is not None
    assert before.tensor == "Fill:0"
    assert unknown.tensor == "x"


def test_what_came_out_of_the_pipeline_leads_to_its_part_of_the_data() -> None:
    told = (StatedTensor("IteratorGetNext:1", "IteratorGetNext", "int64", (4,)),)
    data = (
        StatedTensor("", "", "", None),
        StatedTensor("concat:0", "ConcatV2", "int64", (8,), 6, (2,), low=1, high=3),
        StatedTensor("y", "Input", "int64", (4,), 7),
    )
    past = StatedPast(told, line, None, data)
    (batch,) = past.refused(1)
    assert batch is not None
    (part,) = past.inputs(batch)
    assert part is not None
    assert (part.tensor, part.source, part.low, part.high) == ("concat:0", line(6), 1, 3)
    assert [each and each.tensor for each in past.inputs(part)] == ["y"]


def test_a_part_of_which_nothing_is_known_leads_nowhere() -> None:
    told = tuple(StatedTensor(name, "IteratorGetNext", "int64", (4,)) for name in ("a:0", "b:9", "c"))
    past = StatedPast(told, line, None, (StatedTensor("", "", "", None),))
    assert [[*past.inputs(each)] for each in past.refused(3) if each is not None] == [[None]] * 3


def test_an_array_without_a_name_is_the_only_part_of_the_data_that_is_like_it() -> None:
    told = (StatedTensor("ndarray", "", "string", (60,)), StatedTensor("ndarray", "", "float32", (60, 4)))
    data = (
        StatedTensor("rows", "Input", "float32", (60, 4), 3),
        StatedTensor("others", "Input", "float32", (60, 4), 4),
        StatedTensor("species", "Input", "string", (60,), 5),
    )
    past = StatedPast(told, line, None, data)
    labels, either = past.refused(2)
    assert labels is not None
    assert either is not None
    assert (past.name(labels), labels.source) == ("species", line(5))
    assert (past.name(either), either.source) == ("ndarray", None)
