from __future__ import annotations

import contextlib
import copy
import pickle
import warnings
from collections.abc import Iterator

import pytest

from tensordbg.backends.torch.trap.calls import Buffers, Calls, is_unwritten, tensors_in

torch = pytest.importorskip("torch")


class Outer(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))

    def forward(self, x: object, *, twice: bool = False) -> object:
        return self.inner(self.inner(x) if twice else x)


@pytest.fixture
def calls() -> Iterator[Calls]:
    noted = Calls(lambda _: contextlib.nullcontext(), lambda: None)
    noted.install()
    yield noted
    noted.uninstall()


def test_the_outermost_calls_are_noted_with_what_they_were_given(calls: Calls) -> None:
    model, x = Outer(), torch.ones(3, 2)
    model(x)
    model(x, twice=True)
    first, second = calls.since(0)
    assert first.module is second.module is model
    assert first.args[0] is x
    assert second.kwargs == {"twice": True}
    assert calls.number == 2
    calls.forget_before(1)
    assert [call.number for call in calls.since(0)] == [1]


def test_a_compiled_module_is_noted_once_and_nobody_is_warned() -> None:
    x = torch.ones(3, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noted = Calls(lambda _: contextlib.nullcontext(), lambda: None)
        noted.install()
        torch.compile(Outer(), backend="eager")(x)
        noted.uninstall()
    assert noted.number == 1


def test_without_gradients_nothing_is_noted(calls: Calls) -> None:
    with torch.no_grad():
        Outer()(torch.ones(3, 2))
    assert not calls.since(0)


def test_the_random_state_is_that_before_the_call(calls: Calls) -> None:
    before = torch.get_rng_state()
    torch.nn.Dropout()(torch.ones(8))
    assert torch.equal(calls.since(0)[0].random["cpu"], before)


def test_what_was_written_since_is_known(calls: Calls) -> None:
    x = torch.ones(3, 2)
    Outer()(x)
    (call,) = calls.since(0)
    assert is_unwritten(call)
    x += 1
    assert not is_unwritten(call)


def test_a_module_stays_as_it_was(calls: Calls) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    plain = len(pickle.dumps(model))
    model(torch.ones(3, 2))
    assert calls.number == 1
    assert len(pickle.dumps(copy.deepcopy(model))) == plain


def test_statistics_are_put_back() -> None:
    model = Outer()
    buffers = Buffers(model)
    buffers.keep()
    model(torch.full((3, 2), float("nan")))
    assert model.inner[1].running_mean.isnan().all()
    assert dict(buffers.before())["inner.1.running_mean"].tolist() == [0.0, 0.0]
    buffers.put_back()
    assert model.inner[1].running_mean.tolist() == [0.0, 0.0]
    assert int(model.inner[1].num_batches_tracked) == 0


def test_a_large_buffer_is_copied_where_it_was_written() -> None:
    model = torch.nn.Module()
    model.register_buffer("mask", torch.zeros(5000))
    buffers = Buffers(model)
    buffers.keep()
    first = dict(buffers.before())["mask"]
    buffers.kept = False
    buffers.keep()
    assert dict(buffers.before())["mask"] is first
    model.mask += 1
    buffers.kept = False
    buffers.keep()
    assert dict(buffers.before())["mask"].sum() == 5000


def test_tensors_in_what_is_given() -> None:
    one, two = torch.ones(1), torch.ones(2)
    assert [each.numel() for each in tensors_in(({"a": one}, [two, "b"], 3))] == [1, 2]


def test_a_buffer_without_a_shape_yet_is_kept_when_it_has_one() -> None:
    model = torch.nn.LazyBatchNorm1d()
    buffers = Buffers(model)
    buffers.keep()
    assert [name for name, _ in buffers.before()] == ["num_batches_tracked"]
    model(torch.ones(3, 4))
    buffers.kept = False
    buffers.keep()
    assert {name for name, _ in buffers.before()} == {"running_mean", "running_var", "num_batches_tracked"}
