from __future__ import annotations

import gc
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tests.backends.tensorflow.recorded import record

ONE = tf.constant(1.0)


def traced(folder: Path, program: Callable[[], object], name: str = "f") -> list[dict[str, Any]]:
    """What the trace says of each trace of the function with this name."""
    functions = record(folder, program).functions.values()
    return [json.loads(function.tracing) for function in functions if function.name == name and function.tracing]


def parameters(folder: Path, *arguments: Any, **named: Any) -> dict[str, Any]:
    @tf.function
    def f(x: Any, *rest: Any, scale: Any = 1) -> Any:
        del rest, scale
        return tf.nest.flatten(x)[0]

    (found,) = traced(folder, lambda: f(*arguments, **named))
    given: dict[str, Any] = found["parameters"]
    return given


class Thing:
    pass


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        (tf.constant([[1.0, 2.0]]), "tensor", "float32[1, 2]"),
        (3, "value", "3"),
        ("a" * 80, "value", "'" + "a" * 56 + "..."),
        (None, "value", "None"),
        ({"a": ONE, "b": (2, [ONE])}, "structure", "{'a': float32[], 'b': (2, [float32[]])}"),
    ],
)
def test_what_is_given_for_a_parameter(tmp_path: Path, given: Any, kind: str, text: str) -> None:
    rest = parameters(tmp_path / "trace", ONE, given)["rest_0"]
    assert (rest["kind"], rest["text"]) == (kind, text)


def test_parameters_bear_their_names_in_python(tmp_path: Path) -> None:
    given = parameters(tmp_path / "trace", ONE, scale=2)
    assert given["x"] == {"kind": "tensor", "text": "float32[]", "dtype": "float32", "shape": "[]"}
    assert given["scale"] == {"kind": "value", "text": "2"}


def test_objects_and_variables(tmp_path: Path) -> None:
    thing = Thing()
    given = parameters(tmp_path / "trace", tf.Variable([1.0]), scale=thing)
    assert given["x"] == {"kind": "structure", "text": "variable float32[1]"}
    assert given["scale"] == {"kind": "object", "text": f"Thing object at {id(thing):#x}"}


def test_definition_and_call(tmp_path: Path) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        return x + 1.0

    def program() -> None:
        f(ONE)
        f(tf.constant([1.0]))

    trace = record(tmp_path / "trace", program)
    first, second = [function for function in trace.functions.values() if function.name == "f"]
    said = [json.loads(function.tracing) for function in (first, second)]
    line = inspect.getsourcelines(f.python_function)[1]
    assert [(each["file"], each["line"], each["gone"]) for each in said] == [(__file__, line, 0)] * 2
    assert said[0]["python"] == said[1]["python"]
    begin = inspect.getsourcelines(program)[1]
    innermost = [[f.line for f in trace.reader.stacks()[k.stack] if f.file == __file__][-1] for k in (first, second)]
    assert innermost == [begin + 1, begin + 2]


def test_definition_behind_a_decorator(tmp_path: Path) -> None:
    @tf.function
    @tf.autograph.experimental.do_not_convert
    def f(x: tf.Tensor) -> tf.Tensor:
        return x + 1.0

    (said,) = traced(tmp_path / "trace", lambda: f(ONE))
    begin = inspect.getsourcelines(test_definition_behind_a_decorator)[1]
    assert (said["file"], said["line"], said["user"]) == (__file__, begin + 1, True)


def test_functions_made_at_one_place_that_are_gone(tmp_path: Path) -> None:
    def program() -> None:
        for _ in range(4):
            tf.function(lambda x: x * 2.0)(ONE)
            gc.collect()

    assert [each["gone"] for each in traced(tmp_path / "trace", program, "<lambda>")] == [0, 1, 2, 3]


def test_functions_that_are_kept_are_not_gone(tmp_path: Path) -> None:
    kept = []

    def program() -> None:
        for _ in range(4):
            kept.append(tf.function(lambda x: x * 2.0))
            kept[-1](ONE)
            kept[-1](tf.constant([1.0]))

    said = traced(tmp_path / "trace", program, "<lambda>")
    assert [each["gone"] for each in said] == [0] * 8
    assert len({each["python"] for each in said}) == 4


def test_parts_and_gradients_are_not_traced_from_python(tmp_path: Path) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.sin(x)
        return x

    def program() -> None:
        with tf.GradientTape() as tape:
            tape.watch(ONE)
            y = f(ONE)
        tape.gradient(y, ONE)

    functions = record(tmp_path / "trace", program).functions.values()
    names = [each.runtime_name for each in functions if each.tracing and each.graph == each.function]
    assert [name.rpartition("_")[0] for name in names if "Dataset" not in name] == ["__inference_f"]


class Slotted:
    __slots__ = ()

    def __call__(self) -> tf.Tensor:
        return tf.sin(ONE)


def test_an_object_to_which_nothing_can_refer_weakly(tmp_path: Path) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x > 0.0, Slotted(), lambda: x)

    trace = record(tmp_path / "trace", lambda: f(ONE))
    # What other tests left behind may be named.
    assert not [warning for warning in trace.reader.facts.warnings if "made before" not in warning]
    assert trace.of("cond/Sin") or trace.of("Sin")
