"""The runs of a wrapped session are in a trace, with elements; other runs are not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.errors import RecordingError
from tensordbg.tensorflow.v1.dumping_sessions import DumpingDebugHook, DumpingDebugWrapperSession, WatchOptions

v1 = tf.compat.v1


def steps_of(root: Path) -> dict[str, list[int]]:
    """The steps in which each tensor was recorded."""
    found: dict[str, list[int]] = {}
    for row in tensordbg.open(root).tensors().rows:
        found.setdefault(row.tensor, []).append(row.step)
    return found


def test_runs_of_the_wrapper_are_recorded_with_elements(tmp_path: Path) -> None:
    root = tmp_path / "dumps"
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.exp(tf.square(x, name="Square"), name="Exp")
        wrapped = DumpingDebugWrapperSession(session, str(root))
        session.run(y, {x: [7.0]})
        given = [wrapped.run(y, {x: [value]}) for value in (1.0, 2.0)]
        call = wrapped.make_callable(y, [x])
        given.append(call([0.5]))
        wrapped.close()
    assert steps_of(root)["Exp:0"] == [0, 1, 2]
    values = tensordbg.open(root).tensor("Exp:0").values()
    np.testing.assert_array_equal(values, np.stack(given))


def test_each_run_has_the_tensors_that_a_function_chooses(tmp_path: Path) -> None:
    asked: list[tuple[Any, Any]] = []
    chosen = iter(
        [WatchOptions(), WatchOptions(op_type_regex_allowlist="Square"), (["DebugIdentity"], "Exp", None, None)]
    )

    def watch(fetches: Any, feeds: Any) -> Any:
        asked.append((fetches, feeds))
        return next(chosen)

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.exp(tf.square(x, name="Square"), name="Exp")
        wrapped = DumpingDebugWrapperSession(session, str(tmp_path), watch_fn=watch)
        for _ in range(3):
            wrapped.run(y, {x: [1.0]})
        wrapped.close()
    assert [fetches for fetches, _ in asked] == [y, y, y]
    found = steps_of(tmp_path)
    assert (found["Square:0"], found["Exp:0"]) == ([0, 1], [0, 2])


def test_a_hook_of_a_monitored_session(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        count = v1.train.get_or_create_global_step()
        step = v1.assign_add(count, 1)
        y = tf.math.sqrt(tf.cast(step, tf.float32), name="Sqrt")
        hook = DumpingDebugHook(str(tmp_path))
        with v1.train.MonitoredSession(hooks=[hook]) as session:
            results = [session.run(y) for _ in range(3)]
        assert hook._chooser is not None
        hook._chooser.end()  # type: ignore[attr-defined]
    assert steps_of(tmp_path)["Sqrt:0"] == [0, 1, 2]
    assert [round(float(each) ** 2) for each in results] == [1, 2, 3]


def test_what_the_old_one_refused_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with v1.Session(graph=tf.Graph()) as session:
        with pytest.raises(ValueError, match=f"^session_root path points to a non-empty directory: {tmp_path}$"):
            DumpingDebugWrapperSession(session, str(tmp_path))
        with pytest.raises(
            ValueError, match=f"^session_root path points to a file: {re.escape(str(tmp_path / 'file'))}$"
        ):
            DumpingDebugWrapperSession(session, str(tmp_path / "file"))
        with pytest.raises(TypeError, match=r"^watch_fn is not callable$"):
            DumpingDebugWrapperSession(session, str(tmp_path / "new"), watch_fn=3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"^Expected type "):
            DumpingDebugWrapperSession(object(), str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_each_session_has_its_root_side_by_side_and_one_after_the_other(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as first, v1.Session() as second:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.square(x, name="Square")
        one = DumpingDebugWrapperSession(first, str(tmp_path / "one"))
        two = DumpingDebugWrapperSession(second, str(tmp_path / "two"))
        results = [wrapped.run(y, {x: value}) for value, wrapped in ((2.0, one), (3.0, two), (4.0, two), (5.0, one))]
        one.close()
        two.close()
        three = DumpingDebugWrapperSession(v1.Session(), str(tmp_path / "three"))
        results.append(three.run(y, {x: 6.0}))
        three.close()
    assert results == [4.0, 9.0, 16.0, 25.0, 36.0]
    assert squares(tmp_path / "one") == [4.0, 25.0]
    assert squares(tmp_path / "two") == [9.0, 16.0]
    assert squares(tmp_path / "three") == [36.0]


def test_inside_another_recording_the_runs_are_there_and_behind_it_in_the_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.square(x, name="Square")
        with tensordbg.record(tmp_path / "outer") as outer:
            wrapped = DumpingDebugWrapperSession(
                session, str(tmp_path / "root"), watch_fn=lambda *run: asked.append(run) or WatchOptions()
            )
            results = [wrapped.run(y, {x: 2.0}), wrapped.run(y, {x: 3.0})]
        results.append(wrapped.run(y, {x: 4.0}))
        wrapped.close()
    assert (results, len(asked)) == ([4.0, 9.0, 16.0], 3)
    said = f"tdbg: {tmp_path / 'root'}: no trace is made there, as this process is being recorded already: the runs "
    said += f"are in {outer.path}, without elements (`--detail values` adds them)"
    assert capsys.readouterr().err.splitlines() == [said]
    assert steps_of(outer.path)["Square:0"] == [0, 1]
    assert squares(tmp_path / "root") == [16.0]


def squares(root: Path) -> list[float]:
    """What was recorded of an operation in all traces of a folder."""
    return sorted(
        float(value)
        for trace in root.iterdir()
        for value in np.ravel(tensordbg.open(trace).tensor("Square:0").values())
        if tensordbg.open(trace).tensors().rows
    )


def test_a_recording_of_the_program_has_the_runs_of_its_block(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.square(x, name="Square")
        wrapped = DumpingDebugWrapperSession(session, str(tmp_path / "root"))
        results = [wrapped.run(y, {x: 2.0})]
        for value in (3.0, 4.0):
            with tensordbg.record(tmp_path / "block", detail="values") as block:
                results.append(wrapped.run(y, {x: value}))
            assert float(tensordbg.open(block.path).tensor("Square:0").values().item()) == value**2
        results.append(wrapped.run(y, {x: 5.0}))
        wrapped.close()
        with (
            tensordbg.record(tmp_path / "block"),
            pytest.raises(RecordingError, match="already"),
            tensordbg.record(tmp_path / "inner"),
        ):
            pass
    assert results == [4.0, 9.0, 16.0, 25.0]
    assert squares(tmp_path / "root") == [4.0, 25.0]
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"tdbg: {tmp_path / 'root'}: no trace is made there, as this process is being recorded")
