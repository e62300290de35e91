"""The classic walk through programs that stand still, full-screen in a real terminal, by keys and by the mouse."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.screens import check_screen, without_numbers
from tests.tmux import Tmux

PROGRAMS = Path(__file__).parent / "digits"
FUNCTION = """import tensorflow as tf


@tf.function
def collatz(n):
    while n > 1:
        n //= 2
    return n


print("result", collatz(tf.constant(6)).numpy())
"""

SESSION = """import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [2])
y = x * 2.0
z = tf.reduce_sum(y) + 1.0
with tf.Session() as session:
    print("result", session.run(z, {x: [1.0, 2.0]}))
"""

TDBG = str(Path(sys.executable).with_name("tdbg"))


def debug(folder: Path, program: str, size: tuple[int, int] = (120, 40)) -> Tmux:
    quiet = {"HOME": str(folder), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    return Tmux([TDBG, "debug", str(PROGRAMS / program)], folder, size, quiet)


def test_the_classic_walk_by_keys(tmp_path: Path) -> None:
    with debug(tmp_path, "keras_fit.py", (80, 24)) as terminal:
        terminal.wait("before Cast", "op-start")
        terminal.wait("Select one of", "Alt+1 run")
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
        terminal.wait("before ", "Select one of")
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
        terminal.wait("before ", "Select one of")
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


def test_a_stop_inside_of_a_function_where_a_thread_of_tensorflow_stands_still(tmp_path: Path) -> None:
    program = tmp_path / "collatz.py"
    program.write_text(FUNCTION, encoding="utf-8")
    loud = {"HOME": str(tmp_path), "TF_CPP_MIN_LOG_LEVEL": "0", "TF_ENABLE_ONEDNN_OPTS": "0"}
    with Tmux([TDBG, "debug", "--break", "collatz.py:7", str(program)], tmp_path, (120, 40), loud) as terminal:
        terminal.wait("before ", "Alt+1 run")
        terminal.type("continue")
        terminal.wait("op-start: while/", "in collatz, iteration 0", "Alt+1 run")
        terminal.resize(90, 30)
        terminal.wait_until(lambda screen: max(map(len, screen.splitlines())) <= 90, "a smaller screen")
        terminal.type("step")
        terminal.wait("op-end: while/", "int32[]  3", "Alt+1 run")
        terminal.keys("C-z")
        terminal.type("pt n -x all")
        terminal.wait("Answer: Tensor", "Alt+1 run")
        terminal.type("exit")
        ended = terminal.wait("ENDED with")
        assert "rendezvous" not in ended


def test_a_stop_inside_of_a_session(tmp_path: Path) -> None:
    program = tmp_path / "session.py"
    program.write_text(SESSION, encoding="utf-8")
    quiet = {"HOME": str(tmp_path), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    with Tmux([TDBG, "debug", "--break", "session.py:6", str(program)], tmp_path, (120, 40), quiet) as terminal:
        terminal.wait("before ", "Alt+1 run")
        terminal.type("continue")
        terminal.wait("op-start: Sum in Session.run", "Alt+1 run")
        terminal.type("step")
        terminal.wait("op-end: ", "Alt+1 run")
        terminal.type("delete 1")
        terminal.wait("Answer: ", "Alt+1 run", without="op-end")
        terminal.type("continue")
        terminal.wait("ended after run 1", "Alt+1")
        terminal.type("exit")
        terminal.wait("result 7.0", "ENDED with")
