"""What a program writes while, or after, it is recorded is what it would have written: nothing of ours is in it."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests import programs

BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tensordbg":
            raise ImportError("tensordbg is not installed here")

sys.meta_path.insert(0, Blocker())
import numpy as np, tensorflow as tf, keras
folder = sys.argv[1]
"""


def without_us(program: str, folder: Path) -> str:
    """What a program prints in a fresh process in which tensordbg can't be imported."""
    command = [sys.executable, "-c", BLOCKER + program, str(folder)]
    done = programs.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(folder: Path) -> dict[str, bytes]:
    """All that lies in a folder; of an archive the files in it."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                found.update({f"{path.name}/{name}": archive.read(name) for name in archive.namelist()})
        else:
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def holds_nothing_of_ours(folder: Path) -> None:
    written = contents(folder)
    assert written
    for name, data in written.items():
        assert b"ensordbg" not in data, name
        assert b"tdbg_probe" not in data, name


class Model(tf.Module):
    """Calls a function in a loop and in a branch, and one meant for XLA."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([2.0, 3.0], name="weight")

    @tf.function
    def scale(self, x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x[0] > 100.0, lambda: x, lambda: x * self.weight)

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = self.scale(x)
        return x

    @tf.function(jit_compile=True)
    def compiled(self, x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x)


def small_keras() -> keras.Model:
    keras.utils.clear_session()  # layers are numbered over a whole process
    keras.utils.set_random_seed(4)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def saved_model(folder: Path) -> None:
    model = Model()
    model(tf.ones(2))
    tf.saved_model.save(model, str(folder))


def loaded_and_saved_again(folder: Path) -> None:
    saved_model(folder / "first")
    loaded = tf.saved_model.load(str(folder / "first"))
    loaded(tf.ones(2))
    tf.saved_model.save(loaded, str(folder / "second"))


def checkpoint(folder: Path) -> None:
    model = Model()
    model.weight.assign(model(tf.ones(2)))
    tf.train.Checkpoint(model=model).save(str(folder / "checkpoint"))


def exported_function(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    model = Model()
    concrete = model.__call__.get_concrete_function()
    concrete(tf.ones(2))
    (folder / "graph.pb").write_bytes(concrete.graph.as_graph_def(add_shapes=True).SerializeToString())
    (folder / "function.pb").write_bytes(concrete.function_def.SerializeToString())


def keras_file(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    model = small_keras()
    model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")


def keras_export(folder: Path) -> None:
    model = small_keras()
    model.predict(np.ones((1, 2)), verbose=0)
    model.export(str(folder), verbose=False)


def graph_for_tensorboard(folder: Path) -> None:
    writer = tf.summary.create_file_writer(str(folder))
    model = Model()
    model(tf.ones(2))
    with writer.as_default(step=0):
        tf.summary.graph(model.__call__.get_concrete_function().graph)
    writer.close()


WAYS = [
    saved_model,
    loaded_and_saved_again,
    checkpoint,
    exported_function,
    keras_file,
    keras_export,
    graph_for_tensorboard,
]


@pytest.mark.parametrize("write", WAYS)
def test_what_is_written_while_recording_holds_nothing_of_ours(tmp_path: Path, write: object) -> None:
    with tensordbg.record(tmp_path / "traces"):
        write(tmp_path / "during")  # type: ignore[operator]
    write(tmp_path / "after")  # type: ignore[operator]
    holds_nothing_of_ours(tmp_path / "during")
    holds_nothing_of_ours(tmp_path / "after")


def test_a_module_recorded_before_is_saved_without_us(tmp_path: Path) -> None:
    model = Model()
    with tensordbg.record(tmp_path / "traces"):
        model(tf.ones(2))
        model.compiled(tf.ones(2))
    tf.saved_model.save(model, str(tmp_path / "saved"))
    holds_nothing_of_ours(tmp_path / "saved")
    program = "model = tf.saved_model.load(folder); print(model(tf.ones(2)).numpy().tolist())"
    assert without_us(program, tmp_path / "saved") == "[4.0, 9.0]\n"


def test_a_saved_model_loads_and_runs_where_we_are_not(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "traces"):
        loaded_and_saved_again(tmp_path / "saved")
    program = "model = tf.saved_model.load(folder); print(model(tf.ones(2)).numpy().tolist())"
    for name in ("first", "second"):
        assert without_us(program, tmp_path / "saved" / name) == "[4.0, 9.0]\n"


def test_a_keras_file_loads_and_trains_where_we_are_not(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "traces"):
        keras_file(tmp_path / "saved")
    program = """
model = keras.models.load_model(folder + "/model.keras")
other = keras.models.clone_model(model)
other.load_weights(folder + "/model.weights.h5")
same = all(np.array_equal(a, b) for a, b in zip(model.get_weights(), other.get_weights()))
print(same, len(model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0).history["loss"]))
"""
    assert without_us(program, tmp_path / "saved") == "True 1\n"


def test_an_exported_keras_model_loads_where_we_are_not(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "traces"):
        keras_export(tmp_path / "saved")
    program = "model = tf.saved_model.load(folder); print(model.serve(np.ones((1, 2), np.float32)).shape)"
    assert without_us(program, tmp_path / "saved") == "(1, 1)\n"


def test_a_checkpoint_is_the_same_byte_by_byte(tmp_path: Path) -> None:
    checkpoint(tmp_path / "plain")
    with tensordbg.record(tmp_path / "traces"):
        checkpoint(tmp_path / "recorded")
    plain, recorded = contents(tmp_path / "plain"), contents(tmp_path / "recorded")
    assert set(plain) == set(recorded)
    data = next(name for name in plain if ".data-" in name)
    assert plain[data] == recorded[data]


def test_the_description_of_a_keras_model_is_the_same(tmp_path: Path) -> None:
    keras_file(tmp_path / "plain")
    with tensordbg.record(tmp_path / "traces"):
        keras_file(tmp_path / "recorded")
    plain, recorded = contents(tmp_path / "plain"), contents(tmp_path / "recorded")
    assert set(plain) == set(recorded)
    # Identities of Python objects are in it, which differ from one run to the next.
    plain_config, recorded_config = (
        re.sub(rb'"shared_object_id": \d+', b"", files["model.keras/config.json"]) for files in (plain, recorded)
    )
    assert plain_config == recorded_config
