from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.looking import Looking  # noqa: E402  it imports PyTorch
from tensordbg.backends.torch.dispatching.places import Places  # noqa: E402

aten = torch.ops.aten


class Log:
    """Notes what is recorded, as names; each operation is a site."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.begun: list[tuple[str, list[str]]] = []
        self.made: list[tuple[str, int]] = []

    def describe(self, name: str, *_: object) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def begin(self, site: int, _step: int, inputs: list[int]) -> int:
        self.begun.append((self.names[site], [self.begun[each >> 16][0] for each in inputs]))
        return len(self.begun) - 1

    def append(self, event: Any) -> bool:
        self.made.append((self.names[event.site], int(event.slot)))
        return False

    def device(self, _: str) -> int:
        return 0


@pytest.fixture
def parts() -> tuple[Looking, Log]:
    log: Any = Log()
    return Looking(log, Places(log.describe, lambda _: None), lambda *_: None), log


def run(looking: Looking, function: Any, *given: Any, **named: Any) -> Any:
    call = looking.before(function, given, named)
    result = function(*given, **named)
    looking.after(call, result)
    return result


def test_operations_are_linked_by_their_tensors(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    x = run(looking, aten.log.default, torch.ones(3))
    run(looking, aten.mul.Tensor, x, 2)
    assert log.begun == [
        ("Input", []), ("aten::log", ["Input"]), ("Number", []), ("aten::mul", ["aten::log", "Number"]),
    ]  # fmt: skip


def test_writes_through_views_reach_the_base(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    base = run(looking, aten.zeros.default, [4])
    part = run(looking, aten.slice.Tensor, base, 0, 1, 2)
    run(looking, aten.exp_.default, part)
    run(looking, aten.neg.default, base)
    assert log.begun[-1] == ("aten::neg", ["aten::exp_", "aten::zeros"])
    assert "aten::slice" not in log.names


def test_unwritten_memory_is_not_measured(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    out = run(looking, aten.empty.memory_format, [3])
    run(looking, aten.clone.default, out)
    assert log.made == []
    run(looking, aten.log.out, torch.ones(3), out=out)
    assert log.made == [("Input", 0), ("aten::log", 0)]


def test_lists_are_recorded_one_by_one(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    several = [run(looking, aten.zeros.default, [2]), run(looking, aten.ones.default, [2])]
    run(looking, aten._foreach_neg_.default, several)
    assert log.begun[2:] == [("aten::_foreach_neg_", ["aten::zeros"]), ("aten::_foreach_neg_", ["aten::ones"])]


def test_what_a_step_leaves_out_is_not_known_afterwards(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    x = run(looking, aten.zeros.default, [2])
    looking.step = -1
    run(looking, aten.neg_.default, x)
    looking.step = 1
    run(looking, aten.exp.default, x)
    assert log.begun == [("aten::zeros", []), ("Input", []), ("aten::exp", ["Input"])]


def test_what_an_operation_was_given_that_raised_is_kept(parts: tuple[Looking, Log]) -> None:
    looking, log = parts
    x = run(looking, aten.zeros.default, [2, 3])
    looking.failed(looking.before(aten.mm.default, (x, x), {}))
    ((site, step, given),) = looking.failures
    assert (log.names[site], step) == ("aten::mm", 0)
    assert given == [(0, "float32", (2, 3), [], False, x.data_ptr())] * 2
