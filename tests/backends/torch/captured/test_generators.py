from __future__ import annotations

import pytest

from tensordbg.backends.torch.captured.generators import CPU, put_state, state_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_what_was_drawn_behind_a_state_is_drawn_again() -> None:
    state = state_of(CPU)
    first = torch.rand(3)
    assert not torch.equal(torch.rand(3), first)
    put_state(CPU, state)
    assert torch.equal(torch.rand(3), first)
