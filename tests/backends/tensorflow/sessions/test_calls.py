"""What a session fetches is inlined and keeps its name; settings of the program stay as they are."""

from __future__ import annotations

import tensorflow as tf

from tensordbg.backends.tensorflow.sessions.calls import calls_kept_apart, made_sessions, with_inlined_calls
from tensordbg.backends.tensorflow.sessions.graph import RunKey

v1 = tf.compat.v1


def test_settings_are_a_copy_with_one_more() -> None:
    own = v1.ConfigProto(allow_soft_placement=True)
    changed = with_inlined_calls(own)
    assert changed.allow_soft_placement
    assert changed.graph_options.optimizer_options.do_function_inlining
    assert own == v1.ConfigProto(allow_soft_placement=True)
    assert with_inlined_calls(None).graph_options.optimizer_options.do_function_inlining


def test_sessions_are_found() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        assert session in made_sessions()


def test_only_fetched_calls_are_kept_apart() -> None:
    function = tf.function(tf.sin)
    with tf.Graph().as_default() as graph:
        called = function(tf.constant(1.0))
        other = called + function(called)
    name = called.op.inputs[0].op.name if called.op.type == "Identity" else called.op.name
    assert calls_kept_apart(graph, RunKey((), ((name, 0), (other.op.name, 0)), ())) == [name]
