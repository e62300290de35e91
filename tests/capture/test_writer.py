from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures


def test_a_capture_is_a_folder_with_its_files(tmp_path: Path, write: Callable[..., Path]) -> None:
    made = write(tmp_path / "captures" / "first")
    assert made == tmp_path / "captures" / "first"
    names = {
        "capture.json",
        "batch.safetensors",
        "variables.safetensors",
        "function.pb",
        "sites.jsonl",
        "tables.safetensors",
    }
    assert {file.name for file in made.iterdir()} == names
    assert [each.name for each in made.parent.iterdir()] == ["first"]


def test_nothing_is_replaced(tmp_path: Path, write: Callable[..., Path]) -> None:
    first = write(tmp_path / "step", "1")
    before = (first / "capture.json").read_bytes()
    second = write(tmp_path / "step", "2")
    assert second == tmp_path / "step-2"
    assert (first / "capture.json").read_bytes() == before


def test_a_failure_leaves_nothing(tmp_path: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = write(tmp_path / "earlier", "1")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "later", "2")
    assert [each.name for each in tmp_path.iterdir()] == [earlier.name]


KILLED = """
import os, pathlib, sys
from tests.capture.conftest import BATCH, VARIABLES, header_of
from tensordbg.capture import writer

def die(*_):
    os.kill(os.getpid(), 9)

owner, _, name = sys.argv[2].rpartition(".")
setattr(eval(owner), name, die)
writer.write_capture(pathlib.Path(sys.argv[1]), header_of("2"), BATCH, VARIABLES, {})
"""


@pytest.mark.parametrize(
    "moment", ["writer.write_tensors", "pathlib.Path.write_bytes", "os.fsync", "pathlib.Path.rename"]
)
def test_what_a_killed_process_began_is_no_capture_and_goes_with_the_next(
    moment: str, tmp_path: Path, write: Callable[..., Path]
) -> None:
    earlier = write(tmp_path / "earlier", "1")
    words = [sys.executable, "-c", KILLED, str(tmp_path / "later"), moment]
    program = subprocess.run(words, check=False, cwd=Path.cwd())
    assert program.returncode == -9
    assert len(list(tmp_path.iterdir())) == 2
    assert list_captures(tmp_path) == [earlier]
    third = write(tmp_path / "third", "3")
    assert sorted(tmp_path.iterdir()) == [earlier, third]
