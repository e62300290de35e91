from __future__ import annotations

import json
from pathlib import Path

from tensordbg.capture.reader import Capture
from tensordbg.wire.captures import capture_to_json, captures_to_json
from tests.capture.conftest import header_of


def test_captures_as_json() -> None:
    capture = Capture(Path("captures/one"), header_of())
    (listed,) = json.loads(json.dumps(captures_to_json([capture])))["captures"]
    assert (listed["path"], listed["function"], listed["step"]) == ("captures/one", "train_step", 41)
    assert listed["suspects"][0]["nan"] == 1
    shown = json.loads(json.dumps(capture_to_json(capture)))
    assert shown["variables"][0]["tensor"]["name"] == "kernel"
    assert shown["path"] == "captures/one"
