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
