"""What a program leaves in the folder for temporary files, it leaves there under each command, and nothing more."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.cli.conftest import COMMAND

PROGRAM = """
import os
import sys

import tensorflow as tf


@tf.function
def halved(x):
    if tf.reduce_sum(x) > 0:
        x = x / 2.0
    return tf.math.log(x)


for element in tf.data.Dataset.range(3).map(lambda x: x * 2):
    halved(tf.cast([element], tf.float32) + (1.0 if "fine" in sys.argv else 0.0))
if "raises" in sys.argv:
    raise ValueError("by the program")
if "at once" in sys.argv:
    os._exit(3)
"""
WAYS = {
    "run": ("run", "program.py"),
    "check": ("run", "--check", "program.py"),
    "trap": ("trap", "program.py"),
    "debug": ("debug", "-c", "continue", "program.py"),
    "pdb": ("run", "--pdb", "program.py:11 if False", "program.py"),
}


def left(command: tuple[str, ...], folder: Path) -> list[str]:
    """The kinds of files that a program leaves; each has some letters of its own in its name."""
    (folder / "temporary").mkdir(parents=True)
    (folder / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "TMPDIR": str(folder / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}
    programs.run(command, cwd=folder, env=environment, check=False, capture_output=True)
    return sorted(path.name.partition("_file")[0] for path in (folder / "temporary").iterdir())


# TensorFlow keeps what AutoGraph makes of a function in a file there, and removes it when Python ends by itself.
@pytest.mark.parametrize(("end", "expected"), [("raises", []), ("at once", ["__autograph_generated"])])
def test_it_is_what_the_plain_program_leaves(end: str, expected: list[str], tmp_path: Path) -> None:
    plain = left((sys.executable, "program.py", "fine", end), tmp_path / "plain")
    assert sorted(set(plain)) == expected
    for name in ("run", "debug"):
        assert left((*COMMAND, *WAYS[name], "fine", end), tmp_path / name) == plain


@pytest.mark.parametrize("name", WAYS)
def test_nothing_stays_of_a_program_that_ends_at_a_bad_number(name: str, tmp_path: Path) -> None:
    assert left((*COMMAND, *WAYS[name]), tmp_path) == []
