from __future__ import annotations

import bdb
import builtins
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.stopping.plan import StopPlace, StopPlan
from tensordbg.stopping.source import ASK
from tensordbg.stopping.stops import Stops

TEXT = """\
def f(x):
    y = x + 1
    return y


for x in range(3):
    f(x)
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the text with stops at a place, with what is typed."""
    monkeypatch.setattr(builtins, ASK, None, raising=False)
    file = tmp_path / "program.py"
    file.write_text(TEXT)

    def running(place: StopPlace, typed: str, builds_graph: bool = False) -> Stops:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        stops = Stops(StopPlan((place,)))
        stops.builds_graph.append(lambda _: builds_graph)
        stops.install()
        code = stops.compiled(TEXT.encode(), str(file))
        former = sys.gettrace()
        try:
            if code is not None:
                exec(code, {})
        finally:
            sys.settrace(former)
        return stops

    return running


def test_pdb_stops_at_the_line_each_time(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    stops = run(StopPlace("program.py", 2), "p x\nc\nn\np y\nc\nc\n")
    printed = capsys.readouterr()
    assert printed.out.count("program.py(2)f()\n-> y = x + 1") == 3
    assert "(Pdb) 0\n" in printed.out
    assert "program.py(3)f()\n-> return y\n(Pdb) 2\n" in printed.out
    stops.tell_end()
    assert capsys.readouterr().err == ""


def test_it_stops_where_the_condition_holds_or_fails(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(StopPlace("program.py", 2, "x == 1"), "p x\nc\n")
    assert capsys.readouterr().out.count("-> y = x + 1") == 1
    run(StopPlace("program.py", 2, "nothing == 1"), "c\nc\nc\n")
    printed = capsys.readouterr()
    assert printed.out.count("-> y = x + 1") == 3
    assert "tdbg: nothing == 1: NameError: name 'nothing' is not defined" in printed.err


def test_where_no_editor_can_attach_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builtins, ASK, None, raising=False)
    monkeypatch.setattr("tensordbg.stopping.stops.listen_for_editor", lambda port: "in use")
    stops = Stops(StopPlan((StopPlace("program.py", 2),), port=5678))
    stops.install()
    code = stops.compiled(f"{TEXT}done = x\n".encode(), str(tmp_path / "program.py"))
    assert code is not None
    globals_: dict[str, Any] = {}
    exec(code, globals_)
    assert globals_["done"] == 2
    said = "tdbg: --dap 5678: no editor can attach there (in use); the program does not stop\n"
    assert capsys.readouterr().err == said


def test_quitting_ends_the_program(run: Any) -> None:
    with pytest.raises(bdb.BdbQuit):
        run(StopPlace("program.py", 2), "q\n")


def test_where_it_never_stopped_it_says_why(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    said = {
        (StopPlace("other.py", 2), False): "other.py:2 was never reached: the program loaded no file other.py",
        (StopPlace("program.py", 2, "x > 9"), False): "program.py:2 was never reached with x > 9",
        (StopPlace("program.py", 2), True): "program.py:2 was never reached with tensors in hand: it ran only while a "
        "graph was built",
    }
    for (place, builds_graph), expected in said.items():
        run(place, "", builds_graph).tell_end()
        assert capsys.readouterr().err == f"tdbg: {expected}\n"


def test_functions_around_the_lines_are_known(run: Any) -> None:
    stops = run(StopPlace("program.py", 2, "False"), "")
    names: dict[str, Any] = {}
    exec(stops.compiled(TEXT.replace("range(3)", "()").encode(), "/x/program.py"), names)
    assert stops.places_in(names["f"].__code__) == {0}
    assert stops.places_in(test_quitting_ends_the_program.__code__) == frozenset()


@pytest.mark.parametrize(
    ("place", "typed", "said"),
    [
        (StopPlace("program.py", 2), "c\n" * 3, "was passed without a stop, too: a graph has it"),
        (
            StopPlace("program.py", 2, "x > 9"),
            "",
            "was never reached with x > 9; without tensors in hand, too: a ",
        ),
        (StopPlace("program.py", 3, "x > 9"), "", "was never reached with x > 9"),
    ],
)
def test_what_else_passes_a_place_is_said(
    run: Any, capsys: pytest.CaptureFixture[str], place: StopPlace, typed: str, said: str
) -> None:
    stops = run(place, typed)
    stops.why_never.append(lambda number: "a graph has it" if place.line == 2 and number == 0 else "")
    capsys.readouterr()
    stops.tell_end()
    assert capsys.readouterr().err.startswith(f"tdbg: program.py:{place.line} {said}")


def test_what_was_built_where_nobody_asked_is_known(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    stops = run(StopPlace("program.py", 3, "y"), "", builds_graph=True)
    stops.in_graph([0])
    stops.tell_end()
    said = "with tensors in hand: it ran only while a graph was built"
    assert capsys.readouterr().err == f"tdbg: program.py:3 was never reached {said}\n"
