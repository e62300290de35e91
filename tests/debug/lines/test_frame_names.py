"""Names in a frame are numbers, arrays, or what the framework's elements say; nothing of the program is called."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from tensordbg.debug.lines.frame_names import FrameNames
from tensordbg.errors import UsageError


class Held:
    def __init__(self) -> None:
        self.n = 3
        self.text = "no number"

    @property
    def costly(self) -> int:
        raise AssertionError


def names(elements: Any = lambda _: None) -> FrameNames:
    loss, parts, held = 2.0, [1, 2], Held()
    frame = sys._getframe()
    assert loss and parts and held
    return FrameNames(frame, elements)


def test_numbers_and_attributes() -> None:
    found = names()
    assert found.value("loss") == 2.0 and found.value("held.n") == 3 and found.value("parts") == [1, 2]
    shown = found.shown(["held.costly", "loss", "missing", "held.n"], 5)
    assert [each.name for each in shown] == ["loss", "held.n"]


@pytest.mark.parametrize("name", ["missing", "held.missing", "held.text", "held.costly", "np.pi", "Held"])
def test_what_is_no_number(name: str) -> None:
    with pytest.raises(UsageError):
        names().value(name)


def test_the_framework_tells_what_its_tensors_hold() -> None:
    tensor = object()
    found = names(lambda value: np.ones(2) if isinstance(value, Held) else None)
    assert tensor is not None and found.value("held").tolist() == [1.0, 1.0]
