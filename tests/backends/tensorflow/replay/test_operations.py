"""What a stranger's capture asks for beside computing is refused by name, before anything of it runs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tensordbg.backends.tensorflow.replay.operations import computing_operations, refuse_effects, refuse_python
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.errors import CaptureError
from tests import programs
from tests.backends.tensorflow.captured import captures
from tests.capture.conftest import header_of

CAPTURE = Capture(Path("strange"), header_of())


def definitions(function: Callable[[], Any]) -> list[Any]:
    """The FunctionDefs of a function and of all that it calls, as TensorFlow writes them."""
    concrete = tf.function(function).get_concrete_function()
    return [*concrete.graph.as_graph_def().library.function, concrete.function_def]


def in_a_branch(effect: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: tf.cond(tf.random.uniform(()) < 2.0, effect, effect)


def to_a_file() -> tf.Tensor:
    tf.print("x", output_stream="file:///tmp/strange")
    return tf.constant(0.0)


def write() -> tf.Tensor:
    tf.io.write_file("strange", "x")
    return tf.constant(0.0)


EFFECTS: dict[str, Callable[[], Any]] = {
    "WriteFile": write,
    "ReadFile": lambda: tf.io.read_file("secret"),
    "MatchingFiles": lambda: tf.io.matching_files("*"),
    "EagerPyFunc": lambda: tf.py_function(lambda: 1.0, [], tf.float32),
    "PyFunc": lambda: tf.numpy_function(lambda: 1.0, [], tf.float32),
    "PyFuncStateless": lambda: tf.numpy_function(lambda: 1.0, [], tf.float32, stateful=False),
    "PrintV2": to_a_file,
    "RestoreV2": lambda: tf.raw_ops.RestoreV2(
        prefix="secret", tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32]
    ),
    "ImmutableConst": lambda: tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[1], memory_region_name="secret"),
    "TextLineDataset": lambda: next(iter(tf.data.TextLineDataset("secret"))),
    "FixedUnigramCandidateSampler": lambda: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[1]], tf.int64), 1, 1, True, 4, vocab_file="secret"
    ),
    "DebugIdentityV2": lambda: tf.raw_ops.DebugIdentityV2(
        input=1.0, tfdbg_context_id="", op_name="", output_slot=0, tensor_debug_mode=2, debug_urls=["grpc://strange:1"]
    ),
}


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("op_type", EFFECTS)
def test_an_effect_is_refused_by_name(op_type: str, nested: bool) -> None:
    effect = EFFECTS[op_type]
    with pytest.raises(Exception, match=rf"strange would run {op_type} \(in .*; .* replay it with --trust"):
        refuse_effects(CAPTURE, definitions(in_a_branch(effect) if nested else effect))


@pytest.mark.parametrize("op_type", ["EagerPyFunc", "PyFunc", "PyFuncStateless"])
def test_python_is_refused_also_of_a_capture_that_is_trusted(op_type: str) -> None:
    told = rf"strange calls a function of Python \({op_type} in .*\), .*: `tdbg replay \S*strange --eager -- PROGRAM`$"
    with pytest.raises(CaptureError, match=told):
        refuse_python(CAPTURE, definitions(in_a_branch(EFFECTS[op_type])))
    refuse_python(CAPTURE, definitions(EFFECTS["ReadFile"]))


def harmless() -> tf.Tensor:
    tf.print("a line on standard error")
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    table.insert(tf.constant([1], tf.int64), tf.constant([2.0]))
    images = tf.random.normal((2, 8, 8, 3)) + tf.random.stateless_uniform((2, 8, 8, 3), [1, 2])
    images = tf.nn.batch_normalization(images, 0.0, 1.0, None, None, 1e-3)
    found = tf.nn.conv2d(images, tf.ones((3, 3, 3, 4)), 1, "SAME") + table.lookup(tf.constant([1], tf.int64))
    total = tf.constant(0.0)
    for i in tf.range(3):
        total += tf.reduce_sum(tf.linalg.svd(found[0, :, :, 0], compute_uv=False)) * tf.cast(i, tf.float32)
    tf.debugging.assert_non_negative(total)
    words = tf.strings.split(tf.strings.as_string(total), ".")
    history = tf.TensorArray(tf.float32, 1).write(0, total).stack()
    for x in tf.data.Dataset.range(3).map(lambda x: x * 2):
        total += tf.cast(x, tf.float32)
    return history + tf.cast(tf.size(words), tf.float32) + total


def test_what_only_computes_is_let_pass() -> None:
    refuse_effects(CAPTURE, definitions(harmless))


def test_the_captures_of_ordinary_steps_are_let_pass() -> None:
    for path in captures().values():
        library = function_pb2.FunctionDefLibrary.FromString(open_capture(path).function())
        refuse_effects(open_capture(path), library.function)


def test_no_operation_that_computes_takes_a_path() -> None:
    """Tells when a release of TensorFlow adds an operation that reaches files to a group of those that compute."""
    from tensorflow.python.framework import op_def_registry

    suspicious = ("file", "path", "url", "address", "hostname", "dir")
    conditional = {"FixedUnigramCandidateSampler"}
    found = {
        name
        for name in computing_operations() - conditional
        for each in (*op_def_registry.get(name).attr, *op_def_registry.get(name).input_arg)
        if any(word in each.name.lower().split("_") or each.name.startswith(word + "name") for word in suspicious)
    }
    assert not found
    assert len(computing_operations()) > 1000


def test_a_hostile_capture_writes_nothing(tmp_path: Path) -> None:
    hostile = tmp_path / "hostile"
    shutil.copytree(captures()["one_size"], hostile)
    library = function_pb2.FunctionDefLibrary.FromString((hostile / "function.pb").read_bytes())
    step, target = library.function[0], tmp_path / "written"
    for name, text in (("place", str(target)), ("content", "x")):
        node = step.node_def.add(name=name, op="Const")
        node.attr["dtype"].type = tf.string.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(text))
    step.node_def.add(name="strange", op="WriteFile", input=["place:output:0", "content:output:0"])
    step.control_ret["strange"] = "strange"
    step.signature.control_output.append("strange")
    (hostile / "function.pb").write_bytes(library.SerializeToString())
    replay = [sys.executable, "-m", "tensordbg", "replay", str(hostile), "--out", str(tmp_path / "traces")]
    refused = programs.run(replay, check=False, capture_output=True, text=True)
    assert (refused.returncode, target.exists()) == (2, False)
    assert f"tdbg: error: {hostile} would run WriteFile (in {step.signature.name}), which may do" in refused.stderr
    trusted = programs.run([*replay, "--trust"], check=False, capture_output=True, text=True)
    assert (trusted.returncode, target.exists()) == (0, True), trusted.stderr
