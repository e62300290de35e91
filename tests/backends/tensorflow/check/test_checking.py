"""Enabling and disabling, settings, functions made before, exported and compiled ones, and faults of our own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.check import checking as check
from tensordbg.backends.tensorflow.internals import constant_op, pywrap_tfe
from tensordbg.errors import UsageError
from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics
from tests.backends.tensorflow.checked import blamed, checking, raised


@tf.function
def logarithm(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x)


def test_disabling_without_enabling() -> None:
    before = pywrap_tfe.TFE_Py_FastPathExecute, constant_op.convert_to_eager_tensor
    disable_check_numerics()
    with checking():
        enable_check_numerics()
        assert raised(logarithm, tf.constant(0.0)) is not None
    disable_check_numerics()
    assert (pywrap_tfe.TFE_Py_FastPathExecute, constant_op.convert_to_eager_tensor) == before


def test_functions_stay_clean_after_disabling_and_are_checked_again() -> None:
    program = tf.function(lambda x: tf.math.log(x))
    for _ in range(3):
        with checking():
            assert raised(program, tf.constant(0.0)) is not None
        assert program(tf.constant(0.0)).numpy() == -np.inf
        assert tf.math.log(0.0).numpy() == -np.inf


def test_a_function_called_before_is_checked_and_not_traced_again() -> None:
    traces = []

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        traces.append(x)
        for _ in tf.range(2):
            x = tf.math.log(x)
        return x

    assert program(tf.constant(0.5)).numpy() != 0.0
    with checking():
        assert blamed(program, tf.constant(0.5)) == {("Log", "while/Log", 1)}
    assert len(traces) == 1


def test_a_second_enabling_takes_the_new_limits() -> None:
    with checking(stack_height_limit=1, path_length_limit=10):
        first = raised(logarithm, tf.constant(0.0))
        enable_check_numerics(stack_height_limit=None, path_length_limit=None)
        second = raised(logarithm, tf.constant(0.0))
    assert first is not None
    assert second is not None
    assert "Omitted" in first.message
    assert f"...{__file__[-10:]} (L" in first.message
    assert " -> |   return tf.math.log(x)" in first.message
    assert "Omitted" not in second.message
    assert f"    + {__file__} (L" in second.message


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"stack_height_limit": -1}, "stack_height_limit is -1, but must be a number from 0 on, or None for no limit"),
        (
            {"path_length_limit": "50"},
            "path_length_limit is '50', but must be a number from 0 on, or None for no limit",
        ),
        ({"allow": {"op": "Log"}}, "allow is {'op': 'Log'}, but must be a list of rules"),
        ({"allow": [{}]}, "allow[0] allows everything; give it an op, a name or a line"),
    ],
)
def test_settings_that_are_not_understood(settings: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError) as refused:
        enable_check_numerics(**settings)
    assert str(refused.value).startswith(error)
    assert "\n" not in str(refused.value)


def mask_and_sum(x: tf.Tensor) -> tf.Tensor:
    masked = tf.where([True, False], x, -np.inf)
    return tf.reduce_sum(tf.nn.softmax(masked))


@pytest.mark.parametrize("program", [mask_and_sum, tf.function(mask_and_sum)])
def test_allowed_infinities_pass(program: Any) -> None:
    rules = [{"op": "Const"}, {"line": "test_checking.py"}]
    with checking(allow=rules):
        assert program(tf.constant([1.0, 2.0])).numpy() == 1.0
        for _ in range(3):
            assert raised(program, tf.constant([1.0, 2.0])) is None


@pytest.mark.parametrize("decorate", [lambda function: function, tf.function])
def test_a_nan_made_of_allowed_infinities_does_not(decorate: Any) -> None:
    program = decorate(lambda x: tf.math.log(x) - tf.math.log(x))
    with checking(allow=[{"op": "Log"}]):
        for _ in range(20):
            said = raised(program, tf.zeros(10_000))
            assert said is not None
            assert said.op_type == "Sub"


@pytest.mark.parametrize("decorate", [lambda function: function, tf.function])
def test_what_is_made_of_allowed_infinities_is_allowed_while_it_is_infinite(decorate: Any) -> None:
    program = decorate(lambda x: tf.exp(-tf.reshape(tf.math.log(x) * 2.0, [-1]) * 0.5))
    with checking(allow=[{"op": "Log"}]):
        for _ in range(20):
            assert raised(program, tf.zeros(10_000)) is None


def test_allowed_inside_a_loop_and_a_call() -> None:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x) * 2.0

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        total = tf.zeros_like(x)
        for _ in tf.range(3):
            total += inner(x)
        return total

    with checking(allow=[{"op": "Log"}]):
        assert all(raised(program, tf.zeros(1000)) is None for _ in range(20))
    with checking(allow=[{"op": "Exp"}]):
        assert {name for name, *_ in blamed(program, tf.zeros(1000))} == {"Log"}


def test_nan_passes_where_the_rule_says_so() -> None:
    with checking(allow=[{"op": "Sqrt", "nan": True}]):
        assert raised(tf.function(lambda x: tf.sqrt(x) + 1.0), tf.constant(-1.0)) is None
        assert raised(lambda: tf.sqrt(-1.0) + 1.0) is None
    with checking(allow=[{"op": "Sqrt"}]):
        assert raised(lambda: tf.sqrt(-1.0)) is not None


def test_keras_is_not_user_code() -> None:
    class Bad(keras.layers.Layer):
        def call(self, x: tf.Tensor) -> tf.Tensor:
            return tf.math.log(x - 1.0)

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), Bad(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with checking():
        said = raised(lambda: model.fit(np.zeros((8, 4)), np.zeros((8, 1)), verbose=0))
    assert said is not None
    assert said.op_type == "Log"
    lines = said.message.splitlines()
    marked = [above for above, line in pairwise(lines) if line.startswith(" ->")]
    assert marked
    # A worker that runs tests is started from a string.
    ours = ("test_checking.py", "checked.py", "<string>")
    assert not [line for line in marked if not any(name in line for name in ours)]


def test_a_function_for_xla_is_checked_and_that_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function(jit_compile=True)
    def compiled_elsewhere(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)

    with checking():
        assert raised(compiled_elsewhere, tf.constant(0.0)) is not None
        assert raised(compiled_elsewhere, tf.constant([0.0])) is not None
    line = "tdbg: warning: compiled_elsewhere was meant to be compiled by XLA; it is checked without the compilation"
    assert capsys.readouterr().err.splitlines().count(line) == 1


def test_what_is_saved_holds_nothing_of_ours(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: tf.math.log(x), input_signature=[tf.TensorSpec([None], tf.float32)])
    with checking():
        assert module.f(tf.constant([1.0])).numpy() == [0.0]
        tf.saved_model.save(module, str(tmp_path / "saved"))
        loaded = tf.saved_model.load(str(tmp_path / "saved"))
        assert raised(loaded.f, tf.constant([0.0])) is not None
    assert b"Tensordbg" not in (tmp_path / "saved" / "saved_model.pb").read_bytes()


def test_a_fault_of_ours_ends_the_checking_not_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("nothing")

    program = tf.function(lambda x: tf.math.log(x))
    with checking():
        monkeypatch.setattr(check, "add_checks", broken)
        assert program(tf.constant(0.0)).numpy() == -np.inf
        assert tf.math.log(0.0).numpy() == -np.inf
    assert "checking stopped: instrumenting a function failed with KeyError: 'nothing'" in capsys.readouterr().err


def test_the_settings_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tensordbg]\nallow = [{line = "train.py:5"}]\n')
    (tmp_path / "train.py").write_text(
        textwrap.dedent("""\
        import tensorflow as tf
        from tensordbg.tensorflow import enable_check_numerics
        enable_check_numerics()

        meant = tf.math.log(0.0)
        print("let pass")
        wrong = tf.math.log(0.0)
        """)
    )
    done = subprocess.run([sys.executable, tmp_path / "train.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "let pass\n")
    assert "InvalidArgumentError" in done.stderr
    assert 'eagerly-executing op "Log"' in done.stderr


def test_a_fault_of_ours_ends_checking_and_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("both")

    program = tf.function(lambda x: tf.math.log(x))
    with checking(), tensordbg.record(tmp_path):
        monkeypatch.setattr(check, "add_checks", broken)
        assert program(tf.constant(0.0)).numpy() == -np.inf
    said = capsys.readouterr().err
    assert "checking stopped: instrumenting a function failed with KeyError" in said
    assert "recording stopped: instrumenting a function failed with KeyError" in said
