from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Answer, Console, StateFiles
from tensordbg.errors import TraceError, UsageError
from tests.console.recorded import answer, console_on
from tests.sample_trace import health_of
from tests.trace.builder import Tensor, TraceBuilder, small_program


def test_an_empty_line_answers_nothing(console: Console) -> None:
    assert console.answer("  ") == Answer()


def test_pages_know_what_they_answer(console: Console) -> None:
    page = console.answer("  lt  -n Log$ ").page
    assert page is not None
    assert page.command == "lt  -n Log$"


def test_pages_are_walked_back_and_forth(console: Console) -> None:
    pages = [console.answer(line).page for line in ("ver", "lt", "help")]
    assert console.previous() is pages[1]
    assert console.answer("prev").page is pages[0]
    assert console.previous() is None
    assert console.next() is pages[1]
    with pytest.raises(UsageError, match="there is no page before this one"):
        [console.answer("prev") for _ in range(3)]


def test_a_preview_is_not_remembered(console: Console) -> None:
    console.answer("ver")
    assert console.preview("lt").command == "lt"
    assert console.lines == ("ver",)
    assert console.previous() is None
    with pytest.raises(UsageError, match="only shows nothing"):
        console.preview("exit")


def test_lines_outlive_the_session(sample: Path, tmp_path: Path) -> None:
    files = StateFiles(tmp_path / "state" / "lines", None)
    first = Console(sample, files=files)
    with pytest.raises(UsageError):
        first.answer("wrong")
    first.answer("ver")
    first.answer("ver")
    assert Console(sample, files=files).lines == ("wrong", "ver")


def test_what_is_recorded_meanwhile_is_seen_by_the_next_line(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    console = console_on(tmp_path / "trace")
    assert answer(console, "lt") == ["0 tensors of the trace."]
    call = build.begin(site=5, function=0, step=0)
    build.graph_tensor(70, 0, Tensor(health=health_of(0.0, 1.0)))
    build.end(call)
    build.kill()
    assert answer(console, "lt")[0] == "1 tensor of the trace:"


def test_an_answer_without_lines_goes_to_no_file(console: Console, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="answers with nothing to write"):
        console.answer(f"exit > {tmp_path / 'file'}")
    assert not (tmp_path / "file").exists()


def test_a_trace_that_is_not_there_is_an_error_of_the_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError):
        console_on(tmp_path / "nothing").answer("lt")
