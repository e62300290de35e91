from __future__ import annotations

import csv
import json
from pathlib import Path

from tensordbg.capture.writer import write_capture
from tests.capture.conftest import BATCH, VARIABLES, header_of
from tests.cli.conftest import Tdbg, error_of


def test_lists_what_there_is(tdbg: Tdbg, folder: Path) -> None:
    write_capture(folder / "captures" / "train_step-41", header_of(), BATCH, VARIABLES, {})
    assert "captures/train_step-41" in tdbg("captures").stdout
    (listed,) = json.loads(tdbg("captures", "captures", "--json").stdout)["captures"]
    assert listed["step"] == 41


def test_where_there_is_none(tdbg: Tdbg, folder: Path) -> None:
    assert "captures is no folder; give the folder of captures" in error_of(tdbg("captures"))
    (folder / "captures").mkdir()
    done = tdbg("captures")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "captures holds no capture; `tdbg trap` makes them\n"


def test_csv(tdbg: Tdbg, folder: Path) -> None:
    write_capture(folder / "captures" / "train-2", header_of(), BATCH, VARIABLES, {})
    (row,) = csv.DictReader(tdbg("captures", "--csv").stdout.splitlines())
    assert row["path"] == "captures/train-2"
