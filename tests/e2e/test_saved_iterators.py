"""A program that saves how far it has read its dataset: recorded, and with origins, it goes on as it does plain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import programs
from tests.cli.conftest import COMMAND

PROGRAM = """
import os
import sys

import tensorflow as tf

if "traced" in sys.argv:
    from tensordbg.tensorflow import trace_data
else:
    trace_data = lambda dataset: dataset


def lines(number):
    inner = tf.data.Dataset.range(number * 10, number * 10 + 4)
    return inner.map(lambda place: place + 1)


data = trace_data(tf.data.Dataset.range(6)).interleave(lines, cycle_length=3).shuffle(5, seed=1).batch(4).prefetch(2)
iterator = iter(data)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(iterator=iterator), "saved", max_to_keep=2)
manager.restore_or_initialize()
for _ in range(2):
    print(next(iterator).numpy())
    manager.save()
print(sorted(os.listdir("saved")))
"""


SESSION = """
import sys

import tensorflow as tf

v1 = tf.compat.v1


def lines(number):
    inner = tf.data.Dataset.range(number * 10, number * 10 + 4)
    return inner.map(lambda place: tf.sqrt(tf.cast(place + 1, tf.float32)))


with tf.Graph().as_default():
    data = tf.data.Dataset.range(6)
    data = data.flat_map(lines) if "flat" in sys.argv else data.interleave(lines, cycle_length=3)
    iterator = v1.data.make_initializable_iterator(data.shuffle(5, seed=1).batch(4).prefetch(2))
    element = iterator.get_next()
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
    step = v1.train.get_or_create_global_step()
    more = v1.assign_add(step, 1)
    saver = v1.train.Saver()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(iterator.initializer)
        last = v1.train.latest_checkpoint(".")
        if last:
            saver.restore(session, last)
        for _ in range(2):
            print(session.run([element, more]))
        saver.save(session, "./m", global_step=step)
"""


@pytest.mark.parametrize("kind", ["flat", "interleaved"])
@pytest.mark.parametrize("way", [("run",), ("run", "--check")], ids=["recorded", "checked"])
def test_a_session_goes_on_where_it_was(kind: str, way: tuple[str, ...], tmp_path: Path) -> None:
    printed, said = [], ""
    for folder, command in ((tmp_path / "plain", COMMAND[:1]), (tmp_path / "ours", (*COMMAND, *way))):
        folder.mkdir()
        (folder / "program.py").write_text(SESSION)
        wanted = (*command, "program.py", kind)
        ran = [programs.run(wanted, cwd=folder, capture_output=True, text=True, check=True) for _ in range(2)]
        printed.append([each.stdout for each in ran])
        said = ran[0].stderr
    assert printed[1] == printed[0]
    assert "as the program saves how far it has read it" in said


@pytest.mark.parametrize(
    "way", [(*COMMAND, "run", "program.py"), (*COMMAND, "run", "program.py", "traced")], ids=["recorded", "traced too"]
)
def test_a_program_goes_on_where_it_was(way: tuple[str, ...], tmp_path: Path) -> None:
    printed = []
    for folder, command in ((tmp_path / "plain", (COMMAND[0], "program.py")), (tmp_path / "ours", way)):
        folder.mkdir()
        (folder / "program.py").write_text(PROGRAM)
        # The second run goes on where the first one was.
        ran = [programs.run(command, cwd=folder, capture_output=True, text=True, check=True) for _ in range(2)]
        printed.append([each.stdout for each in ran])
    assert printed[1] == printed[0]
    assert "ckpt-4.index" in printed[0][1]
