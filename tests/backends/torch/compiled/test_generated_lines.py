from __future__ import annotations

import sys
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.generated_lines import (
    Differentiated,
    differentiated,
    frames_in,
    with_program_lines,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TEXT = '  File "/me/train.py", line 3, in step\n    y = f(x)\n  File "/me/train.py", line 8, in f\n    return x + 1\n'


def test_a_stack_is_read_outermost_first() -> None:
    assert list(frames_in(TEXT)) == [("/me/train.py", 3, "step"), ("/me/train.py", 8, "f")]


def test_a_generated_line_is_that_of_the_program() -> None:
    found: list[Any] = []

    def look(x: Any) -> Any:
        frame = sys._getframe(1)
        plain = (frame.f_code.co_filename, frame.f_lineno, "forward")
        found.append((plain, with_program_lines([("/me/inner.py", 1, "g"), plain])))
        return x

    graph = torch.fx.Graph()
    argument = graph.placeholder("x")
    looked = graph.call_function(look, (argument,))
    looked.meta["stack_trace"] = TEXT
    graph.output(looked)
    torch.fx.GraphModule({}, graph)(torch.ones(1))
    ((plain, frames),) = found
    assert plain[0].startswith("<eval_with_key>")
    assert frames == [("/me/inner.py", 1, "g"), ("/me/train.py", 8, "f"), ("/me/train.py", 3, "step")]


def test_other_frames_stay_as_they_are() -> None:
    frames = [("/me/train.py", 3, "step")]
    assert with_program_lines(frames) is frames
    assert with_program_lines([("<eval_with_key>.1", 3, "forward")]) == [("<eval_with_key>.1", 3, "forward")]


def test_a_generated_line_has_the_number_of_autograd() -> None:
    found: list[Any] = []

    def look(x: Any) -> Any:
        frame = sys._getframe(1)
        found.append(differentiated([(frame.f_code.co_filename, frame.f_lineno, "forward")]))
        return x

    graph = torch.fx.Graph()
    argument = graph.placeholder("x")
    known, unknown = graph.call_function(look, (argument,)), graph.call_function(look, (argument,))
    known.meta |= {"stack_trace": TEXT, "seq_nr": 7}
    graph.output((known, unknown))
    torch.fx.GraphModule({}, graph)(torch.ones(1))
    assert found == [Differentiated(7, TEXT), None]
    assert differentiated([("/me/train.py", 3, "step")]) is None
