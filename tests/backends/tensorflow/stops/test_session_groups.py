"""What a line made is found in a run, with where its inputs may be met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.sessions.graph import RunKey, SessionGraphs
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.variables import SessionVariables
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.stops.session_groups import StopGroup, groups_of
from tensordbg.recording.catalog import Catalog
from tests.backends.tensorflow.stops.watching import Lines

v1 = tf.compat.v1


class OwnLines(Lines):
    def depth(self, frames: Any) -> int | None:
        lines = Path(__file__).read_text().splitlines()
        own = [k for k, frame in enumerate(frames) if frame.file == __file__]
        return next((k for k in own[::-1] if f"# {self.word}" in lines[frames[k].line - 1]), None)


def found(graph: Any, key: RunKey, word: str) -> list[StopGroup]:
    catalog = Catalog()
    stacks = Stacks(catalog)
    library = LibraryFunctions(catalog, hooks().functions, LegacyFunctions(stacks))
    description = SessionGraphs(catalog, library, stacks).describe(graph, key, SessionVariables(catalog))
    return groups_of(description, key, catalog, OwnLines(__file__, word))


def test_inputs_are_met_at_what_passes_them_on_too() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        same = tf.identity(x, name="same")
        product = tf.exp(same, name="exp") * tf.constant(2.0, name="two")  # product
        tf.sqrt(product, name="root")
    key = RunKey((("x", 0),), (("root", 0),), ())
    (group,) = found(graph, key, "product")
    assert (group.first, group.last) == ("exp", "mul")
    assert group.starts == (((("same", 0), ("_arg_x_0", 0)),),)
    assert list(group.takes) == ["same:0"] and group.gives == {"mul:0": (("mul", 0),)}
    assert group.own == (("exp", 0), ("mul", 0))
    assert {name for chain in group.chains for name, _ in chain} == {"same", "_arg_x_0", "exp", "mul"}


def test_what_a_run_does_not_need_and_constants_are_no_group() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.exp(x, name="unused")  # unneeded
        two = tf.constant(2.0, name="two")  # constant
        tf.multiply(x, two, name="twice")
    key = RunKey((("x", 0),), (("twice", 0),), ())
    assert found(graph, key, "unneeded") == [] == found(graph, key, "constant")
