from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.tensors import (  # noqa: E402  it imports PyTorch
    WHOLE,
    fills_memory,
    has_elements,
    is_readable,
    memory_of,
    storage_of,
    tensors_in,
)


def test_wrappers_and_shapes_have_no_elements() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(2)
    assert not has_elements(fake)
    assert not has_elements(torch.ones(2, device="meta"))
    assert has_elements(torch.nn.Parameter(torch.ones(2)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.eye(2).to_sparse(),
        lambda: torch.ones(2, dtype=torch.complex64).conj(),
        lambda: torch.ones(2, dtype=torch.complex64).conj().imag,
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
        lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        lambda: torch._efficientzerotensor(3),
    ],
)
def test_what_does_not_lie_in_memory_as_it_is_is_not_read(make: Any) -> None:
    assert not is_readable(make())


def test_strided_tensors_are_read() -> None:
    base = torch.ones(2, 3)
    assert is_readable(base.t())
    assert is_readable(torch.ones(0))
    assert memory_of(base.t()) == memory_of(base) == storage_of(base)._cdata
    assert fills_memory(base.t())
    assert not fills_memory(base[0])


def test_lists_are_walked_through_with_places() -> None:
    one, other = torch.ones(1), torch.ones(2)
    assert list(tensors_in(one)) == [(one, WHOLE)]
    assert [place for _, place in tensors_in([one, None, other])] == [0, 2]
    assert list(tensors_in("text")) == []
