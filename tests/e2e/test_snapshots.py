"""A program that keeps what its pipeline computed in a snapshot: recorded, it goes on with that of the plain one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import programs
from tests.cli.conftest import COMMAND

PROGRAM = """
import os

import tensorflow as tf


def loaded(number):
    print("loading", int(number), flush=True)
    return tf.cast(number, tf.float32)


def scaled(number):
    value = tf.py_function(loaded, [number], tf.float32)
    return value / 2.0


data = tf.data.Dataset.range(4).map(scaled).snapshot("kept").batch(2)
print([batch.numpy().tolist() for batch in data], len([each for each in os.listdir("kept") if each.isdigit()]))
"""
PLAIN, RECORDED = (sys.executable, "program.py"), (*COMMAND, "run", "program.py")


@pytest.mark.parametrize("ways", [(PLAIN, RECORDED), (RECORDED, PLAIN)], ids=["plain first", "recorded first"])
def test_it_is_computed_once(ways: tuple[tuple[str, ...], tuple[str, ...]], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    first, again = (programs.run(way, cwd=tmp_path, capture_output=True, text=True, check=True) for way in ways)
    *loading, printed = first.stdout.splitlines()
    assert loading == [f"loading {number}" for number in range(4)]
    assert printed == "[[0.0, 0.5], [1.0, 1.5]] 1"
    assert again.stdout == f"{printed}\n"
