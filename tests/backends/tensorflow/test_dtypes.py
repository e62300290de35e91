"""The numbers of the data types are TensorFlow's own, here and in the compiled probe."""

from __future__ import annotations

import re
from pathlib import Path

import tensorflow as tf

from tensordbg.backends.tensorflow import dtypes
from tensordbg.health.spec import DTYPES, FLOATS

ROOT = Path(__file__).parents[3]


def test_names_are_those_of_tensorflow() -> None:
    assert {enum: tf.as_dtype(enum).name for enum in dtypes.DTYPE_NAMES} == dtypes.DTYPE_NAMES


def test_the_probe_has_the_same_table() -> None:
    source = (ROOT / "native" / "tensorflow" / "api.cpp").read_text()
    cases = re.findall(r"case (\d+): return DType::k(\w+);", source)
    header = (ROOT / "native" / "health" / "measure.h").read_text()
    members = re.findall(r"^  k(\w+)(?: = 0)?,$", header.split("enum class DType")[1].split("};")[0], re.MULTILINE)
    assert {int(number): DTYPES[members.index(name)] for number, name in cases} == dtypes.DTYPE_NAMES


def test_floats_are_those_that_can_be_non_finite() -> None:
    assert {dtypes.DTYPE_NAMES[enum] for enum in dtypes.FLOATS} == FLOATS


def test_reference_types_count_as_their_base() -> None:
    assert dtypes.name_of(101) == "float32"
    assert dtypes.name_of(11) == "unknown"


def test_types_handed_over_as_bytes_have_the_same_size() -> None:
    for enum, stand_in in dtypes.AS_BYTES.items():
        assert tf.as_dtype(enum).size == tf.as_dtype(stand_in).size
