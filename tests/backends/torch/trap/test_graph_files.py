from __future__ import annotations

import pytest

from tensordbg.backends.torch.trap.graph_files import covers, widened
from tensordbg.backends.torch.trap.step_log import At, Content

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

FLOAT = 6


def test_a_memory_has_room_for_a_tensor_of_which_the_step_used_a_part() -> None:
    used = Content(64, bytes(range(16)))  # 4 numbers from the 16th on
    whole = At(0, FLOAT, 0, (1, 40), (40, 1))
    wide = widened(used, [whole])
    assert (wide.low, wide.written, wide.device) == (0, False, "cpu")
    assert wide.elements == bytes(64) + bytes(range(16)) + bytes(80)
    assert covers(wide, [whole])
    assert widened(used, []) == used


def test_an_expanded_tensor_fills_only_what_lies_in_memory() -> None:
    memory = Content(0, bytes(64))
    assert not covers(memory, [At(0, FLOAT, 0, (16, 1), (0, 1))])
    assert covers(memory, [At(0, FLOAT, 0, (8, 16), (0, 1))])
