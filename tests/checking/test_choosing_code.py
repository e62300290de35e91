"""Code that calls a function which chooses goes on to do so until that call has run."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tensordbg.checking.choosing_code import callers, goes_on_to_choose

here: list[bool] = []


def look() -> float:
    here.append(goes_on_to_choose(sys._getframe(1)))
    return 0.0


class tf:  # noqa: N801  as it is called
    @staticmethod
    def where(*_: float, **__: float) -> float:
        return 1.0


def before_inside_and_behind() -> None:
    look()
    tf.where(
        look(),
        y=look(),
    )
    look()


def in_a_loop() -> None:
    for _ in range(2):
        tf.where(1.0)
        look()
    look()


def never() -> None:
    look()


def by_mask() -> None:
    x: dict[bool, int] = {True: 1, False: 0}
    look()
    print(x[x[True] > look()])
    look()


def by_place() -> None:
    place, x = 1, [0, 1, 2]
    look()
    print(x[place + 1], x[0])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there a name anywhere counts")
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (before_inside_and_behind, [True, True, True, False]),
        (in_a_loop, [True, True, False]),
        (never, [False]),
        (by_mask, [True, True, False]),
        (by_place, [False]),
    ],
)
def test_code_goes_on_to_choose(program: object, expected: list[bool]) -> None:
    here.clear()
    program()  # type: ignore[operator]
    assert here == expected


def test_callers() -> None:
    def inner() -> Iterator[str]:
        for frame in callers(sys._getframe()):
            yield frame.f_code.co_name

    assert list(inner())[:2] == ["inner", "test_callers"]
