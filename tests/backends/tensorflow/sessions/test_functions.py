"""Sessions are given our definitions of what they run beside their graphs, and always the same; graphs keep theirs."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format

import tensordbg
from tensordbg.backends.tensorflow.functions.live import live_functions
from tensordbg.backends.tensorflow.internals import pywrap_tf_session
from tests.backends.tensorflow.recorded import read, record

v1 = tf.compat.v1


def element(added: float) -> tf.Tensor:
    """The next of 0, 1, 2... with something added."""
    numbers = v1.data.Dataset.range(100).map(lambda x: tf.cast(x, tf.float32) + added)
    return v1.data.make_one_shot_iterator(numbers).get_next()


def test_two_sessions_of_one_graph_record_the_same_function(tmp_path: Path) -> None:
    found = []

    def program() -> None:
        with tf.Graph().as_default() as graph, v1.Session() as first, v1.Session(graph=graph) as second:
            one = element(1.0)
            found.extend([first.run(one), second.run(one), second.run(one + element(2.0)), first.run(one)])

    recorded = record(tmp_path, program)
    assert found == [1.0, 1.0, 4.0, 2.0]
    results = [event.row["max"] for event in recorded.of("add") if event.execution < 0]
    assert {1.0, 2.0} <= set(results)


def test_a_finalized_graph_and_many_threads(tmp_path: Path) -> None:
    def program() -> list[np.float32]:
        with tf.Graph().as_default() as graph:
            fetched = [element(float(added)) for added in range(6)]
            graph.finalize()
            sessions = [v1.Session(graph=graph) for _ in fetched]
            found: list[np.float32] = []
            threads = [
                threading.Thread(target=lambda s=s, t=t: found.append(s.run(t)))
                for s, t in zip(sessions, fetched, strict=True)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for each in sessions:
                each.close()
            return sorted(found)

    results: list[object] = []
    recorded = record(tmp_path, lambda: results.append(program()))
    assert results == [program()]
    assert {event.row["max"] for event in recorded.of("add", execution=-1)} >= {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_a_library_that_takes_nothing_of_ours_ends_the_recording_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: bytes) -> None:
        message = "no"
        raise ValueError(message)

    with tensordbg.record(tmp_path) as recording, tf.Graph().as_default() as graph, v1.Session() as session:
        one = element(1.0)
        with monkeypatch.context() as patch:
            patch.setattr(pywrap_tf_session, "TF_FunctionImportFunctionDef", refuse)
            assert session.run(one) == 1.0
        assert session.run(one + element(5.0)) == 7.0
        assert b"ensordbg" not in graph.as_graph_def().SerializeToString()
    assert "giving a session our definitions of functions failed with ValueError: no" in capsys.readouterr().err
    assert not read(recording.path).of("add", execution=-1)


def test_a_function_that_is_named_as_another_of_the_program_stays_what_it_is(tmp_path: Path) -> None:
    def numbers(added: float) -> tf.data.Dataset:
        return tf.data.Dataset.range(100).map(lambda x: tf.cast(x, tf.float32) + added)

    with tf.Graph().as_default() as graph:
        fetched = element(1000.0).name
    definition = graph.as_graph_def()
    results = []

    def program() -> None:
        before = {each.name for each in live_functions()}
        mine = numbers(1.0)
        (here,) = (each.name for each in live_functions() if each.name not in before and "_map_" in each.name)
        (there,) = (each.signature.name for each in definition.library.function if "_map_" in each.signature.name)
        text = text_format.MessageToString(definition).replace(f'"{there}"', f'"{here}"')
        with tf.Graph().as_default(), v1.Session() as session:
            tf.import_graph_def(text_format.Parse(text, v1.GraphDef()), name="")
            results.append(session.run(fetched))
        results.append(next(iter(mine)).numpy())

    record(tmp_path, program)
    assert results == [1000.0, 1.0]
