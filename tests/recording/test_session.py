"""A recording begins, ends and can begin again in one process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tensordbg
from tensordbg.errors import RecordingError
from tensordbg.model import Detail
from tensordbg.recording.backend import backend_of
from tensordbg.recording.recorder import Recorder


def the_end(trace: Path) -> dict[str, object]:
    for name in ("facts.jsonl",):
        rows = [json.loads(line) for line in (trace / name).read_text().splitlines()]
        return next(row["end"] for row in rows if "end" in row)
    raise AssertionError


def test_each_recording_makes_a_new_trace(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "runs") as first:
        pass
    with tensordbg.record(tmp_path / "runs", detail="ops") as second:
        pass
    assert first.path != second.path
    assert set((tmp_path / "runs").iterdir()) == {first.path, second.path}
    details = [json.loads((path / "trace.json").read_text())["detail"] for path in (first.path, second.path)]
    assert details == ["health", "ops"]


def test_an_exception_passes_and_is_noted(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), tensordbg.record(tmp_path) as recording:
        raise ZeroDivisionError("by the user")
    assert the_end(recording.path)["exception"] == "ZeroDivisionError: by the user"


def test_one_recording_at_a_time(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as outer:
        refused = pytest.raises(RecordingError, match="being recorded already; end that recording first")
        with refused, tensordbg.record(tmp_path):
            raise AssertionError
        # The refusal ended nothing.
        assert not any("end" in line for line in (outer.path / "facts.jsonl").read_text().splitlines())
    with tensordbg.record(tmp_path):
        pass


def test_an_unknown_detail_names_the_known(tmp_path: Path) -> None:
    refused = pytest.raises(RecordingError, match=r"detail 'much' is not known; choose one of ops, shapes, health, val")
    with refused, tensordbg.record(tmp_path, detail="much"):
        raise AssertionError
    assert list(tmp_path.iterdir()) == []


def test_a_filter_of_values_is_for_the_detail_values(tmp_path: Path) -> None:
    refused = pytest.raises(RecordingError, match="values are kept only with detail 'values', not 'health'")
    with refused, tensordbg.record(tmp_path, values=tensordbg.ValueFilter()):
        raise AssertionError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = pytest.raises(RecordingError, match="can be written there")
    with refused, tensordbg.record(tmp_path / "file"):
        raise AssertionError


def test_no_framework_is_imported(tmp_path: Path) -> None:
    program = f"""
import sys, tensordbg
with tensordbg.record({str(tmp_path)!r}, detail={Detail.OPS.value!r}):
    pass
print([name for name in ("tensorflow", "keras", "torch", "jax") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_block_that_is_never_left_ends_with_the_program(tmp_path: Path) -> None:
    program = (
        f"import sys, tensordbg\nrecording = tensordbg.record({str(tmp_path)!r})\nrecording.__enter__()\nsys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")
    (trace,) = tmp_path.iterdir()
    assert the_end(trace)["exit_code"] is None


class Hooked:
    """Stands for what records a framework; one of them can't set its hooks."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault = fault
        self.did: list[str] = []

    def prepare(self) -> Hooked:
        return self

    def install(self, _: Recorder) -> None:
        self.did.append("installed")
        if self.fault is not None:
            raise self.fault

    def uninstall(self) -> None:
        self.did.append("uninstalled")

    def failure(self, _: BaseException) -> None: ...

    def data_behind(self, _: BaseException) -> tuple[()]:
        return ()

    def versions(self) -> dict[str, str]:
        return {"csv": "1.0"}

    def own_operations(self) -> list[str]:
        return []


def test_a_framework_that_can_not_be_hooked_into_keeps_no_other_from_being_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ways = {"json": Hooked(RuntimeError("its observer did not start")), "csv": Hooked(None)}
    monkeypatch.setattr("tensordbg.recording.session.FRAMEWORKS", tuple(ways))
    monkeypatch.setattr(
        "tensordbg.recording.session.backend_of",
        lambda name: replace(backend_of("torch"), framework=name, record=ways[name]),
    )
    with tensordbg.record(tmp_path) as recording:
        assert ways["csv"].did == ["installed"]
    assert [way.did for way in ways.values()] == [["installed", "uninstalled"]] * 2
    said = (
        "json is not recorded: hooking into it failed (RuntimeError: its observer did not start); the program goes on, "
        "and what other frameworks compute is recorded"
    )
    assert capsys.readouterr().err == f"tdbg: warning: {said}\n"
    facts = [json.loads(line) for line in (recording.path / "facts.jsonl").read_text().splitlines()]
    assert {"warning": said} in facts
    assert {"framework": {"name": "csv", "version": "1.0"}} in facts
