from __future__ import annotations

import json
from pathlib import Path

from tensordbg.capture.writer import write_capture
from tests.capture.conftest import BATCH, VARIABLES, header_of
from tests.cli.conftest import Tdbg, error_of


def test_shows_one_and_writes_its_weights(tdbg: Tdbg, folder: Path) -> None:
    write_capture(folder / "one", header_of(), BATCH, VARIABLES, {})
    assert "41 of train_step" in tdbg("capture", "show", "one").stdout
    assert json.loads(tdbg("capture", "show", "one", "--json").stdout)["id"] == "0123abcd"
    done = tdbg("capture", "show", "one", "--export-weights", "w.npz")
    assert (done.returncode, done.stdout) == (0, "w.npz  2 variables\n")
    assert (folder / "w.npz").exists()
    assert "nothing is overwritten" in error_of(tdbg("capture", "show", "one", "--export-weights", "w.npz"))


def test_what_is_no_capture_is_one_line(tdbg: Tdbg) -> None:
    assert "absent is no capture" in error_of(tdbg("capture", "show", "absent"))
