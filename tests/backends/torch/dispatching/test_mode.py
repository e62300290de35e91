from __future__ import annotations

import threading
from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode  # noqa: E402

from tensordbg.backends.torch.dispatching.mode import KEEPS_COMPILER, Modes  # noqa: E402  it imports PyTorch


@pytest.fixture
def seen() -> Any:
    names: list[str] = []

    def look(function: Any, arguments: Any, named: Any) -> Any:
        names.append(str(function))
        return function(*arguments, **named)

    modes = Modes(look)
    modes.start()
    yield names
    modes.stop()
    assert _get_current_dispatch_mode() is None


def test_operations_of_new_threads_are_seen(seen: list[str]) -> None:
    thread = threading.Thread(target=lambda: torch.ones(2))
    thread.start()
    thread.join()
    assert seen == ["aten.ones.default"]
    assert _get_current_dispatch_mode() is not None


def test_the_mode_of_the_program_stays_above(seen: list[str]) -> None:
    theirs = []

    class Mode(TorchDispatchMode):  # type: ignore[misc,unused-ignore,no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            del types
            theirs.append(str(func))
            return func(*args, **(kwargs or {}))

    with Mode():
        torch.ones(2)
    assert theirs == seen == ["aten.ones.default"]


def test_operations_made_of_functions_run(seen: list[str]) -> None:
    result = torch.cond(torch.tensor(True), lambda x: x.sin(), lambda x: x.cos(), (torch.zeros(2),))
    assert result.tolist() == [0, 0]
    assert seen


@pytest.mark.skipif(not KEEPS_COMPILER, reason="this PyTorch does not compile while there is a dispatch mode")
def test_the_compiler_stays_on(seen: list[str]) -> None:
    graphs = []

    def backend(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    assert torch.compile(lambda x: x * 2, backend=backend, fullgraph=True)(torch.ones(2)).tolist() == [2, 2]
    assert len(graphs) == 1
    assert "aten.mul.Tensor" in seen


def test_threads_start_as_before_afterwards() -> None:
    before = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
    modes = Modes(print)
    modes.start()
    modes.stop()
    assert threading.Thread._bootstrap_inner is before  # type: ignore[attr-defined]
