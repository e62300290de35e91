"""What is private in Dynamo and relied on is as `dynamo.py` says."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.dynamo import (
    compiled_codes,
    compiled_frame,
    leave_out,
    reason_of_split,
    runs_compiled,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_a_compiler_has_the_frame_that_it_compiles_in_a_variable() -> None:
    from torch._dynamo.convert_frame import ConvertFrameAssert

    assert "frame" in inspect.signature(ConvertFrameAssert.__call__).parameters
    assert compiled_frame() is None


def test_a_graph_that_ends_within_its_function_knows_where_and_why() -> None:
    ends: list[Any] = []

    def backend(module: Any, _: Any) -> Any:
        frame = compiled_frame()
        assert frame is not None
        ends.append(frame.split)
        return module.forward

    def largest(x: Any) -> Any:
        return x.abs().max().item()

    def split(x: Any) -> Any:
        y = torch.tanh(x) / largest(x)
        return torch.exp(y)

    torch._dynamo.reset()
    torch.compile(split, backend=backend)(torch.ones(3))
    first, *_, last = ends
    assert "item" in first.reason
    assert [name for _, _, name in first.places] == ["split", "largest"]
    assert first.places[1][1] == largest.__code__.co_firstlineno + 1
    assert last is None


def test_what_was_compiled_and_why_a_function_was_split_is_known() -> None:
    @torch.compile(backend="eager")
    def split(x: Any) -> Any:
        torch._dynamo.graph_break()
        return x + 1

    before = compiled_codes()
    split(torch.ones(1))
    assert compiled_codes() - before
    assert "graph_break" in reason_of_split()
    torch._dynamo.reset()
    assert not compiled_codes()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(tuple(int(each) for each in torch.__version__.split(".")[:2]) < (2, 5), reason="seen from 2.5 on")
def test_a_function_that_is_left_out_runs_as_it_is() -> None:
    compiling: list[bool] = []

    def noting(x: Any) -> Any:
        compiling.append(torch.compiler.is_compiling())
        return x + 1

    leave_out(noting)

    @torch.compile(backend="eager")
    def doubled(x: Any) -> Any:
        return noting(x) * 2

    assert [doubled(torch.ones(1)).item() for _ in range(2)] == [4.0, 4.0]
    assert compiling == [False, False]


def test_what_dynamo_does_with_the_frames_of_a_thread_is_known() -> None:
    import torch._dynamo

    seen: list[bool] = []

    @torch.compiler.disable(recursive=False)
    def look() -> None:
        seen.append(runs_compiled()() is None)

    @torch.compile(backend="eager")
    def run(x: Any) -> Any:
        look()
        return x + 1

    look()
    run(torch.ones(2))
    look()
    assert seen == [True, False, True]
