from __future__ import annotations

import pytest

from tensordbg.backends.torch.failures.refused_in_python import refused_in_python

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PACKAGES = frozenset({"torch"})


def test_the_arguments_of_the_innermost_frame_of_pytorch_that_has_tensors() -> None:
    x = torch.ones(4, 7, 12)
    with pytest.raises(RuntimeError) as found:
        torch.nn.LSTM(10, 20)(x)
    (given,) = refused_in_python(found.value, PACKAGES)
    assert given is x


def test_nothing_behind_a_frame_of_the_program() -> None:
    def refuse(x: object) -> None:
        raise ValueError(x)

    with pytest.raises(ValueError, match="1") as found:
        refuse(torch.ones(1))
    assert refused_in_python(found.value, PACKAGES) == []
