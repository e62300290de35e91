"""Functions that `Defun` makes are recorded and checked inside, with their lines, where a session calls them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import function

import tensordbg
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions, called_by, with_usual_calls
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog
from tests.backends.tensorflow.checked import checking

v1 = tf.compat.v1


def legacy(inner: Callable[[Any], Any]) -> Any:
    """A function of one tensor that calls another, which is given as Python."""
    called = function.Defun(tf.float32)(inner)

    @function.Defun(tf.float32)
    def outer(x: Any) -> Any:
        return called(x) - 1.0

    return outer


def logarithm(x: Any) -> Any:
    """Goes wrong at 0."""
    return tf.math.log(x) * 2.0  # HERE


HERE = next(k for k, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith("# HERE"))


def program(direct: bool = False) -> list[Any]:
    """Calls it in a session, also with a 0."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        called = legacy(logarithm)(x)
        result = called if direct else called + tf.square(x)
        return [session.run(result, {x: given}).tolist() for given in ([1.0, 2.0], [0.0, 2.0])]


@pytest.mark.parametrize("direct", [False, True])
def test_the_line_inside_is_named(tmp_path: Path, direct: bool) -> None:
    plain = program(direct)
    with tensordbg.record(tmp_path) as recording:
        assert program(direct) == plain
    (origin,) = tensordbg.open(recording.path).why().origins
    assert (origin.cause, origin.view.op_type, origin.view.step) == ("log_of_zero", "Log", 1)
    assert origin.source is not None
    assert (origin.source.file, origin.source.line) == (__file__, HERE)


@pytest.mark.parametrize("direct", [False, True])
def test_a_check_stops_inside(direct: bool) -> None:
    with checking(), pytest.raises(tf.errors.InvalidArgumentError, match=r'graph op "Log"[\s\S]*logarithm') as raised:
        program(direct)
    assert f"(L{HERE})" in str(raised.value)


def test_stacks_are_kept_as_long_as_nobody_asks() -> None:
    stacks = Stacks(Catalog())
    kept = LegacyFunctions(stacks)
    assert kept.stack("f", "Log") == NONE


def test_what_is_called_by_its_name_is_called_as_usual() -> None:
    with tf.Graph().as_default() as graph:
        made = legacy(logarithm)
        made(tf.constant([1.0]))
        (node,) = (each.node_def for each in graph.get_operations() if each.type == made.name)
        assert called_by(graph, node) == (made.name,)

        def signature(name: str) -> Any:
            known = graph._get_function(name) if graph._is_function(name) else None
            return None if known is None else known.definition.signature

        definition = with_usual_calls(made.definition, signature)
    (call,) = (each for each in definition.node_def if each.op == "PartitionedCall")
    (taking,) = (each for each in definition.node_def if each.op == "Sub")
    assert taking.input[0] == f"{call.name}:output:0"
    assert [list(call.attr[name].list.type) for name in ("Tin", "Tout")] == [[1], [1]]
    assert np.all([each.op != call.attr["f"].func.name for each in definition.node_def])
