"""Tells when a TensorFlow internal that tensordbg relies on has changed."""

from __future__ import annotations

import ast
import inspect
import warnings
from pathlib import Path

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow import internals

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", sorted(internals.RELIED_ON))
def test_it_is_there(name: str) -> None:
    thing = internals
    for part in name.split("."):
        thing = getattr(thing, part)
    assert callable(thing)


def test_every_module_used_is_described() -> None:
    described = {name.partition(".")[0] for name in internals.RELIED_ON}
    assert described == set(internals.__all__) - {"RELIED_ON"}


def test_tensorflow_python_is_imported_in_one_place() -> None:
    offenders = []
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [module or ""]
            if any(name.startswith("tensorflow.python") for name in names):
                offenders.append(file.name)
    assert set(offenders) == {"internals.py"}


def test_functions_are_made_through_from_func_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    plain = internals.atomic_function.from_func_graph

    def spy(name: object, graph: object, *args: object, **kwargs: object) -> object:
        function = plain(name, graph, *args, **kwargs)
        made.append((type(graph).__name__, function.name))
        return function

    monkeypatch.setattr(internals.atomic_function, "from_func_graph", spy)

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = tf.sqrt(x)
        return tf.cond(x[0] > 0, lambda: x, lambda: -x)

    with tf.GradientTape() as tape:
        x = tf.constant([4.0])
        tape.watch(x)
        y = program(x)
    tape.gradient(y, x)
    kinds = {kind for kind, _ in made}
    assert {"FuncGraph", "WhileBodyFuncGraph", "WhileCondFuncGraph", "CondBranchFuncGraph"} <= kinds
    assert any(b"__backward" in name for _, name in made)
    assert any(name.startswith(b"__forward") for _, name in made)


def test_from_func_graph_takes_name_and_graph_first() -> None:
    assert list(inspect.signature(internals.atomic_function.from_func_graph).parameters)[:3] == [
        "name",
        "graph",
        "attrs",
    ]


def test_eager_operations_pass_the_two_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    fast, slow = internals.pywrap_tfe.TFE_Py_FastPathExecute, internals.pywrap_tfe.TFE_Py_Execute
    monkeypatch.setattr(
        internals.pywrap_tfe, "TFE_Py_FastPathExecute", lambda *args: (seen.append(args[1]), fast(*args))[1]
    )
    monkeypatch.setattr(internals.pywrap_tfe, "TFE_Py_Execute", lambda *args: (seen.append(args[2]), slow(*args))[1])
    x = tf.constant([1.0, 2.0])
    tf.sin(x)
    tf.math.log([1.0])
    tf.function(lambda y: y * 2.0)(x)
    assert seen[0] == "Sin"
    assert seen[1] in (b"Log", "Log")
    assert any(str(each).startswith("__inference_") for each in seen[2:])


def test_marks_stay_on_an_eager_tensor() -> None:
    tensor = tf.constant([1.0])
    tensor._tensordbg = 7
    assert tf.nest.flatten({"a": tensor})[0]._tensordbg == 7


def test_a_signature_of_litert_and_its_operations() -> None:
    square = tf.function(lambda x: {"y": x * x + 1.0}, input_signature=[tf.TensorSpec((3,), name="x")])
    module = tf.Module()
    module.square = square
    model = tf.lite.TFLiteConverter.from_concrete_functions([square.get_concrete_function()], module).convert()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        interpreter = tf.lite.Interpreter(model_content=model)
    operations = internals.lite_operations(interpreter)
    assert [each["op_name"] for each in operations][:2] == ["MUL", "ADD"]
    (place,) = (each["index"] for each in interpreter.get_input_details())
    assert list(operations[0]["inputs"]) == [place, place]
    assert internals.lite_signature(interpreter.get_signature_runner()) == (interpreter, {"x": place})
