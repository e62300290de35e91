"""Of a session's run it is known what is checked, and what each node is computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.sessions.nodes import RunNode, RunNodes
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.sessions.graph import RunKey, SessionGraphs
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.variables import SessionVariables
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.recording.catalog import Catalog

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as found:
        yield found


def nodes_of(graph: Any, key: RunKey) -> tuple[dict[str, RunNode], list[RunNode]]:
    catalog = Catalog()
    graphs = SessionGraphs(
        catalog, LibraryFunctions(catalog, hooks().functions, LegacyFunctions(Stacks(catalog))), Stacks(catalog)
    )
    description = graphs.describe(graph, key, SessionVariables(catalog))
    nodes = RunNodes(catalog, hooks().functions.plain_definition)
    nodes.add_run(description.operations, description.parts, key)
    return {node.name: node for node in nodes.all}, nodes.all


def test_what_is_fed_is_an_input_and_not_checked(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    tf.exp(x, name="y")
    named, listed = nodes_of(graph, RunKey((("x", 0),), (("y", 0),), ()))
    assert named["_arg_x_0"].foreign == 1
    assert named["_arg_x_0"].checked == 0
    assert named["y"].checked == 1
    assert [listed[place].name for place, _ in named["y"].inputs] == ["_arg_x_0"]  # type: ignore[misc]


def test_outputs_at_which_nothing_looks_are_not_checked(graph: Any) -> None:
    values, indices = tf.math.top_k([1.0, 2.0], 1, name="top")
    tf.exp(tf.cast(indices, tf.float32), name="y")
    tf.exp(values, name="z")
    named, _ = nodes_of(graph, RunKey((), (("y", 0),), ()))
    assert named["top"].checked == 0
    named, _ = nodes_of(graph, RunKey((), (("z", 0),), ()))
    assert named["top"].checked == 1
    named, _ = nodes_of(graph, RunKey((), (), ("top",)))
    assert named["top"].checked & 1


def test_operations_that_pass_elements_on_are_not_checked(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [4], name="x")
    tf.exp(tf.reshape(tf.identity(x, name="same"), [2, 2], name="shaped"), name="y")
    named, _ = nodes_of(graph, RunKey((("x", 0),), (("y", 0),), ()))
    assert (named["same"].checked, named["shaped"].checked, named["y"].checked) == (0, 0, 1)
    assert named["shaped"].foreign & 1
    assert not named["y"].foreign & 1


def test_a_variable_by_reference_is_checked_where_it_is_read(graph: Any) -> None:
    v = v1.get_variable("v", [], use_resource=False)
    tf.exp(v, name="y")
    v1.assign(v, 1.0, name="update")
    named, _ = nodes_of(graph, RunKey((), (("y", 0), ("update", 0)), ()))
    assert (named["v"].checked, named["v"].reference) == (0, True)
    assert (named["v/read"].checked, named["update"].checked) == (1, 1)


def test_whole_numbers_are_not_checked(graph: Any) -> None:
    tf.add(tf.constant(1), 2, name="y")
    named, _ = nodes_of(graph, RunKey((), (("y", 0),), ()))
    assert {node.checked for node in named.values()} == {0}


def test_what_comes_out_of_a_call_is_not_known(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    y = tf.cond(x > 0.0, lambda: tf.exp(x), lambda: x)
    tf.exp(y, name="y")
    key = RunKey((("x", 0),), (("y", 0),), ())
    named, _ = nodes_of(graph, key)
    assert named["cond"].row()[1] & 4
    assert not named["y"].row()[1] & 4
