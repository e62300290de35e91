from __future__ import annotations

import gc
import json
import pickle
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests import programs
from tests.backends.tensorflow.recorded import Recorded, read, record

ROWS = np.ones((8, 4), np.float32)


class Block(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="block")
        self.dense = keras.layers.Dense(4, activation="relu", name="dense")

    def call(self, x: Any) -> Any:
        return self.dense(x) + x


class Model(keras.Model):
    def __init__(self) -> None:
        super().__init__(name="model")
        self.block = Block()
        self.out = keras.layers.Dense(1, name="out")

    def call(self, x: Any) -> Any:
        return self.out(self.block(x))


def outputs(trace: Recorded) -> dict[str, set[tuple[str, str]]]:
    """For each layer the class and the type of operation that made its output."""
    found: dict[str, set[tuple[str, str]]] = {}
    for site in trace.sites.values():
        for path, kind, _, _ in json.loads(site.layer)["output_of"] if site.layer else []:
            found.setdefault(path, set()).add((kind, site.op_type))
    return found


def inside(trace: Recorded, path: str) -> set[str]:
    """The types of the operations of a layer itself."""
    sites = [site for site in trace.sites.values() if site.layer]
    return {site.op_type for site in sites if json.loads(site.layer)["path"] == path}


@pytest.mark.parametrize("eagerly", [False, True])
def test_subclassed_model(tmp_path: Path, eagerly: bool) -> None:
    def program() -> None:
        model = Model()
        model.compile("sgd", "mse", run_eagerly=eagerly)
        model.fit(ROWS, ROWS[:, :1], batch_size=4, verbose=0)

    trace = record(tmp_path / "trace", program)
    assert outputs(trace) == {
        "model/block/dense": {("Dense", "Relu")},
        "model/block": {("Block", "AddV2")},
        "model/out": {("Dense", "AddV2")},
        "model": {("Model", "AddV2")},
    }
    assert "MatMul" in inside(trace, "model/block/dense")
    assert inside(trace, "model/block") == {"AddV2"}


def test_nested_functional_models_and_a_layer_used_twice(tmp_path: Path) -> None:
    inner = keras.Sequential(
        [keras.layers.Dense(4, name="first"), keras.layers.Dropout(0.5, name="drop")], name="inner"
    )
    given = keras.Input((4,))
    model = keras.Model(given, keras.layers.Add(name="sum")([inner(inner(given)), given]), name="whole")
    trace = record(tmp_path / "trace", lambda: model.predict(ROWS, verbose=0))
    found = outputs(trace)
    # Without training, what goes into a dropout comes out of it.
    assert found["whole/inner/first"] == {("Dense", "BiasAdd")}
    assert found["whole/inner/drop"] == {("Dropout", "BiasAdd")}
    assert found["whole/inner"] == {("Sequential", "BiasAdd")}
    assert found["whole/sum"] == {("Add", "AddV2")}
    assert found["whole"] == {("Functional", "AddV2")}
    both = [site for site in trace.sites.values() if "whole/inner/first" in site.layer and site.op_type == "BiasAdd"]
    assert len(both) == 2


def test_recurrent_layer_has_what_its_loop_computes(tmp_path: Path) -> None:
    model = keras.Sequential([keras.layers.GRU(3, name="gru", reset_after=True)], name="model")
    trace = record(tmp_path / "trace", lambda: model.predict(np.ones((2, 5, 4), np.float32), verbose=0))
    assert {"model/gru", "model"} <= set(outputs(trace))
    in_layers = inside(trace, "model/gru") | inside(trace, "model/gru/gru_cell")
    assert "Sigmoid" in in_layers
    assert "MatMul" in in_layers


def names_in_graph(model: Any) -> list[str]:
    function = tf.function(lambda x: model(x, training=True)).get_concrete_function(tf.TensorSpec([None, 4]))
    return [operation.name for operation in function.graph.get_operations()]


def test_names_and_files_are_the_same(tmp_path: Path) -> None:
    model = keras.Sequential([keras.layers.Dense(2, name="dense")], name="model")
    model(ROWS)
    plain = model.to_json()
    names = names_in_graph(model)
    with tensordbg.record(tmp_path / "trace"):
        model(ROWS)
        assert names_in_graph(model) == names
        assert model.to_json() == plain
        copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied(ROWS), model(ROWS))


def test_hook_is_taken_out(tmp_path: Path) -> None:
    plain = keras.layers.Layer.__call__
    with tensordbg.record(tmp_path / "trace"):
        tf.ones([1])
        assert keras.layers.Layer.__call__ is not plain
        assert keras.layers.Layer.__call__.__module__ == plain.__module__
    assert keras.layers.Layer.__call__ is plain


def test_wrapper_of_somebody_else_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tensordbg.record(tmp_path / "trace"):
        tf.ones([1])
        ours: Callable[..., Any] = keras.layers.Layer.__call__
        theirs = lambda layer, *args, **kwargs: ours(layer, *args, **kwargs)  # noqa: E731
        monkeypatch.setattr(keras.layers.Layer, "__call__", theirs)
    assert keras.layers.Layer.__call__ is theirs
    assert keras.layers.Dense(2)(ROWS).shape == (8, 2)


def test_layer_that_raises(tmp_path: Path) -> None:
    class Raises(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            raise ValueError("no")

    def program() -> None:
        with pytest.raises(ValueError, match="no"):
            Raises()(ROWS)
        keras.layers.Dense(2, name="after")(ROWS)

    assert set(outputs(record(tmp_path / "trace", program))) == {"after"}


def test_graphs_are_not_kept_alive(tmp_path: Path) -> None:
    layer = keras.layers.Dense(2)
    layer(ROWS)
    graphs = []

    def program() -> None:
        function = tf.function(layer).get_concrete_function(tf.TensorSpec([2, 4]))
        graphs.append(weakref.ref(function.graph))

    record(tmp_path / "trace", program)
    for _ in range(3):  # a circle may hold on to another
        gc.collect()
    assert graphs[0]() is None


LATE = """
import sys
import tensorflow as tf
import tensordbg

with tensordbg.record(sys.argv[1]):
    import keras
    model = keras.Sequential([keras.layers.Dense(2, name="dense")], name="late")
    model(tf.ones([3, 4]))
"""


def test_keras_may_be_imported_later(tmp_path: Path) -> None:
    programs.run([sys.executable, "-c", LATE, str(tmp_path / "trace")], capture_output=True, check=True)
    assert set(outputs(read(tmp_path / "trace"))) == {"late/dense", "late"}
