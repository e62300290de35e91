from __future__ import annotations

from pathlib import Path

from tensordbg.attaching.summed_up import COLUMNS, sum_up
from tensordbg.trace.folders.runs import find_run
from tests.sample_trace import make_sample_trace


def test_a_run_is_summed_up(tmp_path: Path) -> None:
    found = sum_up(find_run(make_sample_trace(tmp_path / "sample")))
    assert found.status == "non_finite"
    assert found.numbers == {
        "tensors": 12, "non_finite": 1, "origins": int(bool(found.cause)), "warnings": 0, "alerts": 0
    }  # fmt: skip
    (row,) = found.rows
    assert dict(zip(COLUMNS, row, strict=True))["tensor"] == "Log:0"
    assert "Log:0" in found.markdown
    assert found.page.startswith(b"<!doctype html>")
    assert found.findings["status"] == "non_finite"


def test_each_step_has_its_numbers(tmp_path: Path) -> None:
    found = sum_up(find_run(make_sample_trace(tmp_path / "sample")))
    assert [step for step, _, _ in found.per_step] == [0, 1, 2]
    assert [bad for _, _, bad in found.per_step] == [0, 0, 1]
    assert sum(tensors for _, tensors, _ in found.per_step) == 12
