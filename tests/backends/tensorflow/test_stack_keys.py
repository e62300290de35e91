"""Keys tell places and stacks apart, and have an end."""

from __future__ import annotations

import sys

from tensordbg.backends.tensorflow.stack_keys import DEEPEST, stack_key


def here() -> tuple[tuple[int, ...], object]:
    frame = sys._getframe(1)
    return stack_key(frame), frame


def test_a_key_tells_places_apart() -> None:
    keys = [here()[0] for _ in range(2)]
    assert keys[0] == keys[1]
    assert here()[0] != keys[0]


def test_the_key_of_a_deep_stack_has_an_end() -> None:
    def deep(levels: int) -> tuple[int, ...]:
        return here()[0] if levels == 0 else deep(levels - 1)

    assert len(deep(800)) == 2 * DEEPEST
    assert deep(800) == deep(700)
    assert deep(3) != deep(4)
