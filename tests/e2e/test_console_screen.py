"""The full-screen console on traces, in a real terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.e2e.page.long_trace import write_long_trace
from tests.screens import check_screen
from tests.tmux import Tmux

TDBG = str(Path(sys.executable).with_name("tdbg"))
SIZES = [(80, 24), (120, 40), (200, 60)]


def console(trace: Path, size: tuple[int, int] = (120, 40)) -> Tmux:
    return Tmux([TDBG, "console", str(trace)], trace.parent, size, {"HOME": str(trace.parent)})


@pytest.mark.parametrize("size", SIZES, ids=["small", "middle", "wide"])
def test_screens_of_the_sample_trace(sample: Path, size: tuple[int, int]) -> None:
    name = "sample-{}x{}".format(*size)
    with console(sample, size) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Nothing that matters")
        terminal.type("ni -t Log")
        terminal.wait("Node Log", "F4 Source")
        terminal.wait("Traceback", "F1 keys")
        check_screen(terminal, f"{name}-node")
        terminal.keys("F2")
        terminal.wait("[F2 Tensors]", "Placeholder")
        check_screen(terminal, f"{name}-tensors")
        terminal.keys("F4")
        terminal.wait("[F4 Source]", "import tensorflow")
        check_screen(terminal, f"{name}-source")
        terminal.keys("F1")
        terminal.wait("Answer: keys", "Alt+1 ... Alt+9")
        check_screen(terminal, f"{name}-keys")


def test_leaves_the_terminal_as_it_was(sample: Path) -> None:
    line = f"stty -a > before; {TDBG} console {sample}; stty -a > after; echo what was typed"
    with Tmux(["sh", "-c", line], sample.parent, (80, 24), {"HOME": str(sample.parent)}) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Alt+1")
        terminal.type("exit")
        screen = terminal.wait("what was typed", "ENDED with 0")
        assert "F1 keys" not in screen
    assert (sample.parent / "before").read_text() == (sample.parent / "after").read_text()


def test_works_without_colours_and_where_errors_go_elsewhere(sample: Path) -> None:
    line = f"NO_COLOR=1 {TDBG} console {sample} 2> errors"
    with Tmux(["sh", "-c", line], sample.parent, (100, 30), {"HOME": str(sample.parent)}) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Placeholder")
        assert not re.search(r"\x1b\[[\d;]*3[1-7]", terminal.looks())
        terminal.keys("C-q")
        terminal.wait("ENDED with 0")
    assert (sample.parent / "errors").read_text() == ""


def test_a_dumb_terminal_gets_the_plain_prompt(sample: Path) -> None:
    with Tmux([TDBG, "console", str(sample)], sample.parent, (100, 30), {"TERM": "dumb"}) as terminal:
        terminal.wait("tdbg>", without="F1 keys")
        terminal.type("exit")
        terminal.wait("ENDED with 0")


def test_only_sixteen_colours_are_used(sample: Path) -> None:
    with console(sample) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Placeholder")
        assert not re.search(r"\x1b\[[\d;]*[34]8;[25];", terminal.looks())
        assert re.search(r"\x1b\[[\d;]*3[1-7]", terminal.looks())


def test_the_terminal_changes_its_size(sample: Path) -> None:
    with console(sample, (80, 24)) as terminal:
        terminal.wait("Answer: sample", "Alt+1", without="Tensors: 12")
        terminal.resize(120, 40)
        terminal.wait("Answer: sample", "Tensors: 12")
        terminal.resize(60, 12)
        terminal.wait("Answer: sample", without="Tensors: 12")


def test_lines_and_names_are_completed_and_remembered(sample: Path) -> None:
    with console(sample) as terminal:
        terminal.wait("Placeholder", "Alt+1")
        terminal.keys("l", "i", "s", "t", "_", "Tab")
        terminal.wait("list_tensors", "list_source", "list_inputs")
        terminal.keys("t", "Tab")
        terminal.wait("tdbg> list_tensors")
        terminal.keys("C-c")
        terminal.type("ni Log")
        terminal.wait("Answer: Node Log")
        terminal.type("exit")
        terminal.wait("ENDED with 0")
    with console(sample) as terminal:
        terminal.wait("Placeholder", "Alt+1")
        terminal.keys("n", "Up")
        terminal.wait("tdbg> ni Log")


def test_mouse_goes_to_the_terminal_and_back(sample: Path) -> None:
    with console(sample) as terminal:
        terminal.wait("Placeholder", "mouse on")
        assert terminal.takes_mouse
        terminal.type("mouse off")
        terminal.wait_until(lambda _: not terminal.takes_mouse)
        terminal.wait("mouse off  F1 keys")
        terminal.type("mouse on")
        terminal.wait_until(lambda _: terminal.takes_mouse)
        terminal.type("exit")
        terminal.wait("ENDED with 0")
        assert not terminal.takes_mouse


def test_ten_million_events_scroll(tmp_path: Path) -> None:
    write_long_trace(tmp_path)
    with console(tmp_path / "long") as terminal:
        terminal.wait("10,000,000 tensors", "Placeholder")
        terminal.keys("F2", "End")
        terminal.wait("[F2 Tensors]", "of 10,000,000  100%")
        for _ in range(3):
            terminal.keys("PPage")
        terminal.keys("Home")
        terminal.wait("lines 1-")
        terminal.mouse(65, 10, 8)
        terminal.wait("lines 3-")
        terminal.keys("Tab", "Enter")
        terminal.wait("[F3 Answer]")


def test_a_fault_of_the_screen_hands_over_to_the_plain_prompt(sample: Path) -> None:
    program = (
        "import sys; from tensordbg.console.fullscreen.pane import Pane; from tensordbg.cli import main;"
        "Pane.render_line = lambda self, y: [][y]; sys.argv = ['tdbg', 'console', sys.argv[1]]; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, str(sample)]
    with Tmux(command, sample.parent, (100, 40), {"HOME": str(sample.parent)}) as terminal:
        terminal.wait("the full screen failed (IndexError: list index out of range); the plain prompt goes on")
        terminal.wait("tdbg>")
        terminal.type("why")
        terminal.wait("harmless (nothing came of it)")
        terminal.type("exit")
        terminal.wait("ENDED with 0")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_from_elsewhere_leaves_no_spoilt_terminal(sample: Path, name: str) -> None:
    told = sample.parent / "told"
    program = (
        "import os, signal, sys, threading, time; from pathlib import Path; from tensordbg.cli import main\n"
        f"told = Path({str(told)!r})\n"
        "def kill():\n"
        "    while not told.exists(): time.sleep(0.01)\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "threading.Thread(target=kill, daemon=True).start()\n"
        "sys.argv = ['tdbg', 'console', sys.argv[1]]; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, str(sample)]
    with Tmux(command, sample.parent, (100, 40), {"HOME": str(sample.parent)}) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Alt+1")
        told.touch()
        if name == "SIGINT":
            terminal.type("why")
            terminal.wait("harmless (nothing came of it)")
            terminal.type("exit")
        assert "F1 keys" not in terminal.wait("ENDED with")
        assert not terminal.takes_mouse
