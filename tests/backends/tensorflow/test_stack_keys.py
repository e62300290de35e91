"""Keys tell places and stacks apart, and have an end."""

from __future__ import annotations

import sys

from tensordbg.backends.tensorflow.stack_keys import DEEPEST, FRAME_BYTES, StackKey, names_are_utf8, stack_key


def here() -> tuple[StackKey, object]:
    frame = sys._getframe(1)
    return stack_key(frame), frame


def test_a_key_tells_places_apart() -> None:
    keys = [here()[0] for _ in range(2)]
    assert keys[0] == keys[1]
    assert here()[0] != keys[0]


def test_the_key_of_a_deep_stack_has_an_end() -> None:
    def deep(levels: int) -> StackKey:
        return here()[0] if levels == 0 else deep(levels - 1)

    assert len(deep(800)) == FRAME_BYTES * DEEPEST
    assert deep(800) == deep(700)
    assert deep(3) != deep(4)


def test_the_name_of_a_file_anywhere_in_a_stack_counts() -> None:
    asked = compile("names_are_utf8(sys._getframe())", "gone/\udcff.py", "eval")
    inside = compile("told()", "gone/\udcff.py", "eval")
    assert names_are_utf8(sys._getframe())
    assert not eval(asked)
    assert not eval(inside, {"told": lambda: names_are_utf8(sys._getframe())})
