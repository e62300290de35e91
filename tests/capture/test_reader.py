from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensordbg.capture.reader import Capture, list_captures, open_capture
from tensordbg.errors import CaptureError
from tests.capture.conftest import BATCH, TABLES, VARIABLES, header_of

Write = Callable[..., Path]


def read_all(capture: Capture) -> None:
    capture.batch()
    capture.variables()
    capture.tables()
    capture.function()
    capture.rows("sites")


def test_what_was_written_is_read_back(tmp_path: Path, write: Write) -> None:
    capture = open_capture(write(tmp_path / "one"))
    assert capture.header == header_of()
    np.testing.assert_array_equal(capture.batch()[0], BATCH["a0"])
    assert capture.batch().keys() == {0}
    variables = capture.variables()
    assert variables.keys() == {2, 3}
    np.testing.assert_array_equal(variables[2], VARIABLES["v1"])
    assert variables[3] == 7
    (table,) = capture.tables().values()
    np.testing.assert_array_equal(table.keys, TABLES["t4_keys"])
    np.testing.assert_array_equal(table.values, TABLES["t4_values"])
    assert capture.function() == b"\x00graph"
    assert capture.rows("sites") == [{"site": 0}]


def test_captures_are_listed_the_newest_last(tmp_path: Path, write: Write) -> None:
    made = [write(tmp_path / name, name) for name in ("b", "a", "c")]
    (tmp_path / "other").mkdir()
    assert list_captures(tmp_path) == made
    with pytest.raises(CaptureError, match="is no folder; give the folder of captures"):
        list_captures(tmp_path / "none")


def test_a_folder_that_is_no_capture_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"is no capture: capture.json can't be read \(No such file"):
        open_capture(tmp_path)


def test_a_newer_format_is_named(tmp_path: Path, write: Write) -> None:
    made = write(tmp_path / "one")
    row = json.loads((made / "capture.json").read_text())
    (made / "capture.json").write_text(json.dumps(row | {"format": 99}))
    with pytest.raises(CaptureError, match="has format 99, this tensordbg reads up to 1; update it"):
        open_capture(made)


def test_a_header_that_lies_about_a_tensor_is_one_error(tmp_path: Path, write: Write) -> None:
    made = write(tmp_path / "one")
    text = (made / "capture.json").read_text()
    row = json.loads(text)
    for change in ({"shape": [3, 2]}, {"dtype": "int32"}, {"dtype": "object"}, {"key": "absent"}):
        row["arguments"][0]["tensor"] |= change
        (made / "capture.json").write_text(json.dumps(row))
        with pytest.raises(CaptureError):
            open_capture(made).batch()
        row = json.loads(text)


FILES = ("capture.json", "batch.safetensors", "variables.safetensors", "sites.jsonl")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.data())
def test_damage_of_any_kind_is_one_error(tmp_path: Path, write: Write, name: str, data: st.DataObject) -> None:
    made = tmp_path / "one"
    shutil.rmtree(made, ignore_errors=True)
    write(made)
    content = bytearray((made / name).read_bytes())
    kind = data.draw(st.sampled_from(["cut", "flip", "random", "empty"]))
    if kind == "cut":
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    elif kind == "flip":
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    else:
        content = bytearray(data.draw(st.binary(max_size=200)) if kind == "random" else b"")
    (made / name).write_bytes(content)
    try:
        read_all(open_capture(made))
    except CaptureError as error:
        assert "\n" not in str(error)  # noqa: PT017  a flipped bit of an element is no damage that one could see
