from __future__ import annotations

import asyncio
import io

import pytest

from tensordbg.console.console import Console
from tensordbg.console.plain.reading import PromptLines, StreamLines, line_reader


def test_the_lines_of_a_pipe_are_told_again(console: Console) -> None:
    out = io.StringIO()
    lines = StreamLines(io.StringIO("lt\nlast"), out)
    assert [lines.read(console) for _ in range(3)] == ["lt", "last", None]
    assert out.getvalue() == "tdbg> lt\ntdbg> last\n"


def test_without_a_terminal_the_input_is_read_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert isinstance(line_reader(), StreamLines)


def test_where_a_loop_of_events_runs_the_prompt_has_a_thread_of_its_own(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def ask(*, in_thread: bool) -> str:
        threads.append(in_thread)
        return "lt"

    monkeypatch.setattr("tensordbg.console.plain.prompt.prompt_of", lambda _: ask)
    lines = PromptLines()

    async def inside() -> str | None:
        return lines.read(console)

    assert lines.read(console) == asyncio.run(inside()) == "lt"
    assert threads == [False, True]
