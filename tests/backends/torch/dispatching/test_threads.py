from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.operations import operation_of  # noqa: E402  it imports PyTorch
from tensordbg.backends.torch.dispatching.threads import Forwards, Node  # noqa: E402


def test_the_gradients_of_two_operands_differ() -> None:
    node, multiply = Node((), -1, None), operation_of(torch.ops.aten.mul.Tensor)
    assert [node.place(multiply) for _ in range(5)] == [-1, 0, 1, 2, 2]


def test_the_first_site_since_a_node_was_made_is_differentiated_by_it() -> None:
    forwards, found = Forwards(), []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(_: Any, x: Any) -> Any:
            forwards.note(7)
            forwards.note(8)
            return x * 2

        @staticmethod
        def backward(_: Any, slope: Any) -> Any:
            found.append(forwards.node(None))
            found.append(forwards.node(found[0]))
            return slope * 2

    y = Twice.apply(torch.ones(2, requires_grad=True))
    assert forwards.has()
    z = y * 2
    assert not forwards.has()
    z.sum().backward()
    assert forwards.node(None) is None
    assert found[0] is found[1]
    assert found[0].forward == 7
