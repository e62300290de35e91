from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.makers import NOBODY, Maker, Makers  # noqa: E402  it imports PyTorch


def test_what_was_never_seen_comes_from_outside() -> None:
    assert Makers().find(torch.ones(2)).from_outside


def test_a_view_is_known_by_what_wrote_into_its_memory() -> None:
    makers, base = Makers(), torch.ones(4)
    makers.made(base, Maker(7 << 16, 5))
    assert makers.find(base[1:3]).maker.reference == 7 << 16


def test_writes_into_parts_leave_what_stands_in_the_others() -> None:
    makers, base = Makers(), torch.ones(4)
    for place, of in enumerate((base, base[:1], base[1:2])):
        makers.made(of, Maker(place << 16, place))
    known = makers.find(base)
    assert (known.maker.reference, known.before) == (2 << 16, (1 << 16, 0))
    makers.made(base, Maker(3 << 16, 3))
    assert makers.find(base).before == ()


def test_what_nobody_has_written_is_told() -> None:
    makers, base = Makers(), torch.empty(4)
    makers.is_unwritten(base)
    assert makers.find(base[1:]).unwritten
    makers.made(base[1:], Maker(1 << 16, 1))
    assert not makers.find(base).unwritten


def test_a_tensor_that_is_gone_is_not_taken_for_another() -> None:
    makers = Makers()
    for number in range(3000):
        tensor = torch.ones(1)
        assert makers.find(tensor).from_outside
        makers.made(tensor, Maker(number << 16, 0, bad=True))
    assert makers.bad_alive() == [2999 << 16], "the last one is still there"


def test_a_variable_is_known_by_its_memory() -> None:
    makers, weight = Makers(), torch.nn.Parameter(torch.ones(4))
    makers.is_variable(weight, 3)
    assert makers.variable_of(weight.detach()) == 3
    assert makers.variable_of(weight[1:]) == NOBODY


def test_a_gradient_has_an_owner() -> None:
    makers, slope = Makers(), torch.ones(4)
    assert makers.own(slope, 3) == Maker()
    makers.made(slope, Maker(1 << 16, 1))
    assert makers.own(slope, 3).owner == 3
    assert makers.find(slope).maker.owner == 3


def test_sparse_tensors_have_no_memory_and_are_known() -> None:
    makers, sparse = Makers(), torch.eye(2).to_sparse()
    makers.made(sparse, Maker(1 << 16, 1))
    assert makers.find(sparse).maker.site == 1
    makers.forget(sparse)
    assert makers.find(sparse).from_outside
