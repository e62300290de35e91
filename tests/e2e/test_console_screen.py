"""The full-screen console in a real terminal, on traces and programs that stand still, by keys and by the mouse."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.e2e.page.long_trace import write_long_trace
from tests.screens import check_screen, without_numbers
from tests.tmux import Tmux

PROGRAMS = Path(__file__).parent / "digits"
TDBG = str(Path(sys.executable).with_name("tdbg"))
SIZES = [(80, 24), (120, 40), (200, 60)]


def console(trace: Path, size: tuple[int, int] = (120, 40)) -> Tmux:
    return Tmux([TDBG, "console", str(trace)], trace.parent, size, {"HOME": str(trace.parent)})


def debug(folder: Path, program: str, size: tuple[int, int] = (120, 40)) -> Tmux:
    quiet = {"HOME": str(folder), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    return Tmux([TDBG, "debug", str(PROGRAMS / program)], folder, size, quiet)


@pytest.mark.parametrize("size", SIZES, ids=["small", "middle", "wide"])
def test_screens_of_the_sample_trace(sample: Path, size: tuple[int, int]) -> None:
    name = "sample-{}x{}".format(*size)
    with console(sample, size) as terminal:
        terminal.wait("12 tensors, 1 non-finite", "Runs:")
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


def test_the_classic_walk_by_keys(tmp_path: Path) -> None:
    with debug(tmp_path, "keras_fit.py", (80, 24)) as terminal:
        terminal.wait("before run 1", "run #1")
        terminal.wait("Select one of", "Alt+1 run")
        check_screen(terminal, "keras-before", without_numbers)
        terminal.type("run")
        terminal.wait("after run 1", "Alt+1 run")
        terminal.type("run")
        terminal.wait("after run 2", "Alt+1 run")
        terminal.type("lt")
        terminal.wait("tensors of run 2")
        terminal.type("pt hidden_1/Cast/ReadVariableOp")
        terminal.wait("shape: (64, 128)")
        terminal.type("run -f has_inf_or_nan")
        terminal.wait("after run 4", "Alt+1 run")
        terminal.type("lt -f has_inf_or_nan")
        terminal.wait('tensors of run 4 passing filter "has_inf_or_nan"')
        terminal.type("pt Log:0")
        terminal.wait("Log:0", "shape: (100, 10)")
        terminal.type("/inf")
        terminal.wait_highlighted("inf")
        terminal.type("li Log")
        terminal.wait("Inputs to node", "Softmax")
        terminal.wait("Legend", "F1 keys")
        check_screen(terminal, "keras-inputs", without_numbers)
        terminal.type("pt probs_1/Softmax -r [0,0]")
        terminal.wait("Highlighted")
        terminal.type("why")
        terminal.wait("produced the first -inf")
        terminal.keys("NPage")
        terminal.wait("log_of_zero")
        terminal.type("exit")
        terminal.wait("ENDED with")


def test_the_classic_walk_with_the_mouse(tmp_path: Path) -> None:
    with debug(tmp_path, "keras_fit.py") as terminal:
        terminal.wait("before run 1", "Select one of")
        terminal.click("run", after="Alt+1")
        terminal.wait("after run 1", "Alt+1 run")
        terminal.click("run", after="Alt+1")
        terminal.wait("after run 2", "tensors of run 2")
        terminal.turn_wheel_to("hidden_1/Cast/ReadVariableOp:0", (10, 10))
        terminal.click("ReadVariableOp:0", after="hidden_1/Cast/")
        terminal.wait("shape: (64, 128)")
        terminal.click("run -f non_finite")
        terminal.wait("after run 4", "Alt+1 run")
        terminal.click("lt -f non_finite")
        terminal.wait('tensors of run 4 passing filter "non_finite"')
        terminal.click("Log:0")
        terminal.wait("Log:0", "shape: (100, 10)")
        terminal.type("/inf")
        terminal.wait_highlighted("inf")
        terminal.click("li", after=" ni")
        terminal.wait("Inputs to node")
        terminal.click("Softmax", after="[Softmax] digits_1/probs_1/")
        terminal.wait("Answer: Node digits_1/probs_1/Softmax")
        terminal.click("pt", after="Alt+1 run")
        terminal.wait("Answer: Tensor", "Softmax:0")
        terminal.click("why")
        terminal.wait("produced the first -inf")
        terminal.turn_wheel_to("log_of_zero", (10, 20))
        terminal.click("exit")
        terminal.wait("ENDED with")


def test_the_classic_walk_in_a_session(tmp_path: Path) -> None:
    with debug(tmp_path, "session.py") as terminal:
        terminal.wait("before run 1", "Select one of")
        terminal.type("run")
        terminal.wait("after run 1", "Alt+1 run")
        terminal.type("run")
        terminal.wait("after run 2", "Alt+1 run")
        terminal.type("pt hidden/kernel")
        terminal.wait("shape: (64, 128)")
        terminal.type("run -f has_inf_or_nan")
        terminal.wait("after run 3", "passing filter")
        terminal.type("pt Log:0")
        terminal.wait("Tensor", "shape: (100, 10)")
        terminal.type("/inf")
        terminal.wait_highlighted("inf")
        terminal.type("li Log")
        terminal.wait("Inputs to node", "Softmax")
        terminal.type("pt Softmax -r [0,0]")
        terminal.wait("Highlighted")
        terminal.type("why")
        terminal.wait("log_of_zero")
        terminal.type("exit")
        terminal.wait("ENDED with")


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
        terminal.wait("harmless, as nothing came of it")
        terminal.type("exit")
        terminal.wait("ENDED with 0")
