"""Single numbers that tensors hold, without an operation of the program's."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

from tensordbg.backends.torch.program.scalars import number_in, with_numbers  # noqa: E402


class Seen(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[name-defined,misc]
    """Notes the operations that run."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []

    def __torch_dispatch__(self, function: Any, _types: Any, args: Any = (), _kwargs: Any = None) -> Any:
        self.ran.append(str(function))
        return function(*args)


def test_a_number_is_read_without_an_operation() -> None:
    single, whole = torch.tensor(0.1), torch.tensor(3)
    double = torch.nn.Parameter(torch.tensor([0.3], dtype=torch.float64))
    with Seen() as seen:
        assert number_in(single) == 0.1, "with the digits that it has"
        assert number_in(double) == 0.3
        assert with_numbers({"lr": single, "betas": (0.9, 0.99)}) == {"lr": 0.1, "betas": (0.9, 0.99)}
        assert number_in(whole) is None
    assert not seen.ran


def test_what_is_no_number_at_hand_is_left_alone() -> None:
    for other in (torch.ones(2), torch.ones(1, device="meta"), torch.ones(1).to_sparse(), 0.1, None):
        assert number_in(other) is None
    asked: list[float | None] = []

    def ask(x: Any) -> Any:
        asked.append(number_in(x))
        return x

    torch.func.vmap(ask)(torch.ones(2))
    assert asked == [None]
