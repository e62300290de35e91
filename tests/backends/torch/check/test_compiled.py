from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensordbg.backends.torch.check.checking import disable_check_numerics, enable_check_numerics
from tensordbg.backends.torch.check.raised import BadNumberError

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    torch._dynamo.reset()
    enable_check_numerics()
    yield
    disable_check_numerics()


def test_what_leads_to_the_bad_number_is_named_and_nothing_else_in_the_kernel() -> None:
    @torch.compile
    def f(x: Any) -> Any:
        chosen = torch.where(x > 0, torch.log(x), 0.0)
        return (chosen + 1.0 / x).exp() * 0.0

    with pytest.raises(BadNumberError, match=r"aten::(reciprocal|div)") as raised:
        f(torch.tensor([2.0, 0.0, 1.0]))
    assert "aten::log" not in str(raised.value)


def test_what_passed_in_one_kernel_passes_in_the_next() -> None:
    @torch.compile
    def f(x: Any) -> Any:
        masked = x.masked_fill(x < 0, float("-inf"))
        return masked, torch.softmax(masked @ torch.eye(2), -1) if x.dim() > 2 else masked.amax(-1)

    masked, most = f(torch.tensor([[-1.0, 2.0], [-3.0, -4.0]]))
    assert torch.isinf(masked).sum() == 3
    assert most.tolist() == [2.0, float("-inf")]
    assert torch.softmax(masked[:1], -1).tolist() == [[0.0, 1.0]]
    with pytest.raises(BadNumberError, match="aten::_softmax"):
        torch.softmax(masked, -1)


def test_what_chance_made_is_told_where_it_was_stored() -> None:
    @torch.compile
    def f(x: Any) -> Any:
        return torch.nn.functional.dropout(x, 0.5).sum() / (x - x).sum()

    with pytest.raises(BadNumberError, match="aten::div") as raised:
        f(torch.ones(64))
    assert "torch.compile" in str(raised.value)


def test_nothing_is_looked_into_any_more_when_the_check_ends() -> None:
    f = torch.compile(lambda x: torch.log(x) * 2.0)
    f(torch.ones(3))
    disable_check_numerics()
    assert torch.isinf(f(torch.zeros(3))).all()
