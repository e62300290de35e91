from __future__ import annotations

import builtins
import sys
from types import FrameType
from typing import Any

import pytest

from tensordbg.errors import UsageError
from tensordbg.stopping.source import ASK, ENTER, compile_with_stops, stop_line

TEXT = '''"""A docstring."""
from __future__ import annotations


@staticmethod
def twice(x):
    """Another."""

    y = [
        x,
        x,
    ]
    if x > 3:
        return 0
    elif x > 2: return 1
    else:
        z = sum(y)
    while z > 3:
        z -= 2
    return z


short = lambda a: a + 1
long = map(
    lambda a:
        a * 2,
    [1, 2],
)
total = (twice.__func__(2), twice.__func__(3), twice.__func__(4), short(1), list(long))
'''


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """The places at which code that is run asks, each with the function that it is in."""
    found: list[tuple[int, str]] = []

    def ask(number: int) -> bool:
        found.append((number, sys._getframe(1).f_code.co_name))
        return False

    monkeypatch.setattr(builtins, ASK, ask, raising=False)
    return found


def run(text: str, *stops: tuple[int, int]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile_with_stops(text.encode(), "program.py", stops), names)
    return names


@pytest.mark.parametrize(
    ("line", "places"),
    [
        (9, ["twice"] * 3),
        (11, ["twice"] * 3),  # in the midst of a statement
        (6, ["twice"] * 3),  # the line of a `def` is the first in it
        (13, ["twice"] * 3),
        (15, ["twice"] * 2),
        (17, ["twice"]),
        (18, ["twice"] * 2),  # each time that the condition is computed
        (19, ["twice"]),
        (23, ["<module>", "<lambda>"]),
        (26, ["<lambda>"] * 2),
        (24, ["<module>"]),
        (29, ["<module>"]),
    ],
)
def test_asks_each_time_before_the_line(asked: list[tuple[int, str]], line: int, places: list[str]) -> None:
    names = run(TEXT, (line, 7))
    assert asked == [(7, name) for name in places]
    assert names["total"] == (2, 1, 0, 2, [2, 4])


def test_a_program_is_as_it_was(asked: list[tuple[int, str]]) -> None:
    assert run(TEXT, (9, 0), (19, 1), (26, 2))["total"] == (2, 1, 0, 2, [2, 4])
    assert {number for number, _ in asked} == {0, 1, 2}


def test_a_debugger_that_is_entered_there_meets_the_line_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[int] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            met.append(frame.f_lineno)
        return trace

    def enter() -> None:
        sys._getframe(1).f_trace = trace
        sys.settrace(trace)

    monkeypatch.setattr(builtins, ASK, lambda _: True, raising=False)
    monkeypatch.setattr(builtins, ENTER, enter, raising=False)
    former = sys.gettrace()
    try:
        run("def f(x):\n    y = x\n    return y\n\n\nf(1)\n", (2, 0))
    finally:
        sys.settrace(former)
    assert met[:2] == [2, 3]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (1, "p.py:1 has no code; the nearest line that has is 5: @staticmethod"),
        (16, "p.py:16 has no code; the nearest line that has is 17: z = sum(y)"),
        (21, "p.py:21 has no code; the nearest line that has is 20: return z"),
        (99, "p.py:99 is not there: the file has 29 lines; the nearest line that has is 29: total ="),
    ],
)
def test_a_line_without_code_is_refused_with_the_nearest_that_has(line: int, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        stop_line(TEXT, line, "p.py")
    assert str(raised.value).startswith(said)


def test_a_file_that_is_no_python_is_refused() -> None:
    with pytest.raises(UsageError, match=r"p.py is no Python file that could be stopped in: .*; name another"):
        stop_line("a b", 1, "p.py")
    with pytest.raises(UsageError, match=r"p.py has no code to stop in; name another file"):
        stop_line("# nothing\n", 1, "p.py")


def test_the_functions_around_a_line_are_known_by_their_first_lines() -> None:
    assert stop_line(TEXT, 19, "p.py").functions == {5}
    assert stop_line(TEXT, 6, "p.py").line == 9
    assert stop_line(TEXT, 26, "p.py").functions == {25}
    assert stop_line(TEXT, 29, "p.py").functions == frozenset()
