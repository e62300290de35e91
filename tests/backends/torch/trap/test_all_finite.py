from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.trap import all_finite as module  # noqa: E402  it imports PyTorch's neighbours
from tensordbg.backends.torch.trap.all_finite import all_finite  # noqa: E402

KINDS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("there", [False, True], ids=["here", "as on a GPU"])
def test_one_bad_element_anywhere_is_found(
    dtype: Any, bad: float, there: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if there:  # its operations are the same on a processor
        monkeypatch.setattr(module, "_is_finite", lambda tensor: module._all_there([tensor]))
    largest = torch.finfo(dtype).max
    tensors = [
        torch.full((3, 5), largest, dtype=dtype),
        torch.zeros(0, dtype=dtype),
        torch.tensor(-largest, dtype=dtype),
    ]
    assert all_finite(tensors)
    tensors[0][1, 4] = bad
    assert not all_finite(tensors)
    assert not all_finite([tensors[0].t()])


def test_whole_numbers_complex_and_sparse_ones_are_looked_at_too() -> None:
    def sparse(*values: float) -> Any:
        return torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor(values), check_invariants=True)

    assert all_finite([torch.arange(3), torch.ones(2, dtype=torch.complex64), sparse(1.0, 2.0)])
    assert not all_finite([torch.tensor([1 + 1j, complex(0, float("nan"))])])
    assert not all_finite([sparse(1.0, float("inf"))])
