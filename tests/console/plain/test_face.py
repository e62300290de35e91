from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from tensordbg.console.console import Console
from tensordbg.console.plain.face import PlainFace
from tensordbg.console.running import Go, GoKind


class Typed:
    """Lines as if they were typed; an exception is raised in its place."""

    def __init__(self, *lines: str | type[BaseException]) -> None:
        self._lines: Iterator[str | type[BaseException]] = iter(lines)

    def read(self, console: Console) -> str | None:
        line = next(self._lines, None)
        if isinstance(line, type):
            raise line
        return line


def test_lines_are_answered_until_one_says_how_to_go_on(standing: Console) -> None:
    out = io.StringIO()
    assert PlainFace(Typed("lt -n Log$", "", "-", "step", "ver"), out).converse(standing) == Go(GoKind.STEP)
    assert "1 tensor of run 2:" in out.getvalue()
    assert "tensordbg" not in out.getvalue()


def test_a_mistake_is_said_in_one_line_and_the_conversation_goes_on(
    console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    assert PlainFace(Typed("foo", "ver"), out).converse(console) == Go(GoKind.EXIT)
    assert capsys.readouterr().err == "error: no command 'foo'; `help` lists them\n"
    assert "tensordbg" in out.getvalue()


def test_ctrl_c_gives_a_line_up(console: Console) -> None:
    out = io.StringIO()
    assert PlainFace(Typed(KeyboardInterrupt, "exit"), out).converse(console) == Go(GoKind.EXIT)
