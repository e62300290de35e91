from __future__ import annotations

from tests.cli.conftest import Tdbg, error_of


def test_what_is_no_capture_is_one_line(tdbg: Tdbg) -> None:
    assert "absent is no capture: capture.json can't be read" in error_of(tdbg("replay", "absent"))
    assert "0 is not in the range" in error_of(tdbg("replay", ".", "--times", "0"))
