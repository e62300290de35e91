from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensordbg.backends.torch.check.checking import disable_check_numerics, enable_check_numerics
from tensordbg.backends.torch.check.raised import BadNumberError

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch itself, when Inductor is imported


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


def test_a_fault_of_ours_ends_the_check_and_not_the_program(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def faulty(*_: Any) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("tensordbg.backends.torch.check.compiled._Again.look", faulty)
    f = torch.compile(lambda x: torch.log(x) * 2.0)
    assert torch.isinf(f(torch.zeros(3))).all()
    assert "checking stopped: looking at an operation failed with KeyError: 'ours'" in capfd.readouterr().err


def test_what_was_compiled_under_a_check_is_seen_inside_by_the_next(capfd: pytest.CaptureFixture[str]) -> None:
    f = torch.compile(lambda x: torch.log(x) * 2.0)
    f(torch.ones(3))
    disable_check_numerics()
    enable_check_numerics()
    assert "before the check began" not in capfd.readouterr().err
    with pytest.raises(BadNumberError, match="aten::log"):
        f(torch.zeros(3))


def test_what_was_compiled_before_is_said_not_to_be_seen(capfd: pytest.CaptureFixture[str]) -> None:
    disable_check_numerics()
    torch.compile(lambda x: torch.log(x) * 2.0)(torch.ones(3))
    enable_check_numerics()
    assert "what torch.compile had compiled before the check began is not looked into" in capfd.readouterr().err
