from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.capture.header import SERIES
from tensordbg.capture.writer import write_capture
from tensordbg.cli.running.narrowing import one_step_of
from tensordbg.errors import CaptureError
from tensordbg.replaying.plan import ReplayPlan
from tests.capture.conftest import BATCH, VARIABLES, header_of


def test_a_capture_of_one_step_is_left_alone(tmp_path: Path) -> None:
    path = write_capture(tmp_path / "one", header_of(), BATCH, VARIABLES, {})
    assert one_step_of(ReplayPlan(str(path))) == path


def test_the_step_is_looked_for_once(tmp_path: Path) -> None:
    header = header_of()
    series = write_capture(tmp_path / "a", replace(header, later=(header.arguments,)), BATCH, VARIABLES, {})
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "capture.json").write_text("no JSON")
    alone = write_capture(tmp_path / "b", replace(header, id="1", extra={SERIES: header.id}), BATCH, VARIABLES, {})
    assert one_step_of(ReplayPlan(str(series))) == alone


def test_one_that_can_not_be_run_is_one_error(tmp_path: Path) -> None:
    header = header_of()
    series = write_capture(tmp_path / "a", replace(header, later=(header.arguments,)), BATCH, VARIABLES, {})
    with pytest.raises(CaptureError, match=r"a could not be brought down to one step$"):
        one_step_of(ReplayPlan(str(series)))
