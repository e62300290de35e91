"""A run is described by what it needs, and by what it feeds and fetches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.sessions.graph import RunKey, SessionGraphs, display_name, upstream
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.variables import SessionVariables
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import TensorRef
from tensordbg.recording.catalog import Catalog

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    """x -> split -> (sqrt, log) -> sum, and something that nothing needs."""
    with tf.Graph().as_default() as found:
        x = v1.placeholder(tf.float32, [4], name="x")
        first, second = tf.split(x, 2, name="split")
        with tf.control_dependencies([tf.no_op(name="before")]):
            root = tf.sqrt(first, name="root")
        tf.add(root, tf.math.log(second, name="log"), name="sum")
        tf.exp(x, name="unused")
        yield found


def names(graph: Any, key: RunKey) -> list[str]:
    return [operation.name for operation in upstream(graph, key)]


def test_upstream_is_what_the_fetches_need(graph: Any) -> None:
    key = RunKey((), (("root", 0),), ())
    assert names(graph, key) == ["x", "split/split_dim", "split", "before", "root"]
    assert names(graph, RunKey((), (), ("unused",))) == ["x", "unused"]


def test_nothing_is_looked_behind_that_is_fed(graph: Any) -> None:
    assert names(graph, RunKey((("split", 0),), (("root", 0),), ())) == ["before", "root"]
    part = names(graph, RunKey((("split", 0),), (("sum", 0),), ()))
    assert part == ["x", "split/split_dim", "split", "before", "root", "log", "sum"]


def test_names_of_runs() -> None:
    fetches = (("loss", 0), ("loss", 1), ("a", 0))
    assert display_name(RunKey((), fetches, ("train", "init"))) == "Session.run(loss, a, train and 1 more)"


def test_a_run_is_a_function_of_what_is_fed(graph: Any) -> None:
    catalog = Catalog()
    graphs = SessionGraphs(
        catalog, LibraryFunctions(catalog, hooks().functions, LegacyFunctions(Stacks(catalog))), Stacks(catalog)
    )
    key = RunKey((("split", 1), ("x", 0)), (("sum", 0), ("x", 0)), ())
    described = graphs.describe(graph, key, SessionVariables(catalog))
    function = described.function
    sites = {site.name: site for site in catalog.sites_of_function(function.runtime_name) if site.argument < 0}
    fed = {site.argument: site for site in catalog.sites_of_function(function.runtime_name) if site.argument >= 0}
    assert [fed[place].name for place in sorted(fed)] == ["split", "x"]
    assert function.signature == "(float32[2], float32[4])"
    assert function.outputs == (TensorRef(sites["sum"].site, 0), TensorRef(fed[1].site, 0))
    assert sites["log"].inputs == (TensorRef(fed[0].site, 0),)
    assert sites["root"].inputs == (TensorRef(sites["split"].site, 0),)
    watched = {node.name: node for node in described.watched}
    assert watched["_arg_split_1"].site == fed[0].site
    assert watched["root"].single
    assert not watched["split"].single
    assert "split/split_dim" not in watched  # a whole number that only tells an axis
