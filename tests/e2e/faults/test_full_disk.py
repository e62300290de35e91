"""A disk that becomes full, or files that may grow no further: the recording stops, the program goes on."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.backends.tensorflow.recorded import read
from tests.e2e.faults.programs import Ended, run, tdbg, training

EVENTFUL = """
import resource
import tensorflow as tf

LIMIT
@tf.function
def run(x):
    for i in tf.range(12000):
        x = tf.sin(x) + 1.0
    return x

for number in range(3):
    print(number, float(run(tf.constant(1.0))), flush=True)
print(float(tf.function(lambda x: tf.math.log(x) + 2.0)(tf.constant(0.0))))
"""
"""More events than one segment holds."""


def limit(size: int) -> Callable[[], None]:
    """In the new process, no file may become larger."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def same(folder: Path, text: str, *options: str, before: Callable[[], None] | None = None) -> Ended:
    """Runs a program plainly and recorded: the same output and end; gives what the recorded one said."""
    (folder / "program.py").write_text(text)
    plain = run(folder, "program.py", before=before)
    (folder / "disk" / "filling").unlink(missing_ok=True)
    recorded = tdbg(folder, "run", *options, "program.py", before=before)
    assert (recorded.code, recorded.out) == (plain.code, plain.out), (plain, recorded)
    return recorded


def trace_in(folder: Path) -> Path:
    (trace,) = (folder / "tdbg-traces").iterdir()
    return trace


@pytest.mark.parametrize("size", [0, 100, 100_000])
def test_no_room_for_the_beginning_is_told_before_the_program_starts(tmp_path: Path, size: int) -> None:
    (tmp_path / "program.py").write_text("print('started')")
    done = tdbg(tmp_path, "run", "program.py", before=limit(size))
    assert (done.code, done.out) == (2, "")
    said = [line for line in done.err.splitlines() if line.startswith("tdbg: error: ")]
    assert len(said) == 1, done.err
    assert "no trace can be written there" in said[0]
    assert "File too large" in said[0]
    assert "Traceback" not in done.err


def test_no_room_for_the_lines(tmp_path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
    done = same(tmp_path, limited + training())
    assert "recording stopped early" in done.err
    assert "File too large" in done.err
    why = tdbg(tmp_path, "why")
    assert why.code == 0, why.err


def test_no_room_for_more_events(tmp_path: Path) -> None:
    limited = "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, resource.RLIM_INFINITY))"
    done = same(tmp_path, EVENTFUL.replace("LIMIT", limited))
    assert "recording stopped early" in done.err
    recorded = read(trace_in(tmp_path))
    assert len(recorded.events) > 60_000
    assert any("recording stopped early" in warning for warning in recorded.reader.facts.warnings)


def test_no_room_for_values(tmp_path: Path) -> None:
    text = training(middle="resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))")
    done = same(tmp_path, "import resource\n" + text, "--detail", "values")
    assert "were not kept: writing failed: File too large" in done.err
    assert [event.step for event in read(trace_in(tmp_path)).of("Log")] == [0, 1, 2, 3, 4, 5]


def test_no_room_for_graphs(tmp_path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))\n"
    same(tmp_path, limited + training(), "--graphs")
    assert list((trace_in(tmp_path) / "graphs").glob("*.pb.gz")) == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MiB: one segment, and little else."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("this user can't mount a disk; the tests above limit the size of files instead")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path, left: int) -> None:
    """Writes a file that leaves so much room."""
    stat = os.statvfs(disk)
    (disk / "filling").write_bytes(b"x" * (stat.f_bavail * stat.f_frsize - left))


def test_a_disk_that_becomes_full(tmp_path: Path, disk: Path) -> None:
    done = same(tmp_path, EVENTFUL.replace("LIMIT", ""), "--out", str(disk))
    assert "recording stopped early" in done.err
    assert "No space left on device" in done.err
    (trace,) = disk.iterdir()
    recorded = read(trace)
    assert len(recorded.events) > 60_000
    why = tdbg(tmp_path, "why", str(disk))
    assert why.code == 0, why.err


def test_a_disk_that_is_full(tmp_path: Path, disk: Path) -> None:
    fill(disk, left=2**20)
    (tmp_path / "program.py").write_text("print('started')")
    done = tdbg(tmp_path, "run", "--out", str(disk), "program.py")
    assert (done.code, done.out) == (2, "")
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in disk.iterdir()] == ["filling"]


@pytest.mark.parametrize("left", [0, 20_000])
def test_no_room_for_what_comes_after_the_beginning(tmp_path: Path, disk: Path, left: int) -> None:
    """The program itself fills what is left, in the middle; then nothing can be sealed either, and all is read raw."""
    text = training(
        after=(
            f"if number == 4:\n        room = os.statvfs({str(disk)!r})\n"
            f"        open({str(disk / 'filling')!r}, 'wb').write(b'x' * (room.f_bavail * room.f_frsize - {left}))"
        ),
        end=(
            "for k in range(200):\n    (lambda x: tf.function(lambda y: tf.sqrt(y) * k)(x))(tf.constant(4.0))\n"
            "print('done')"
        ),
    )
    done = same(tmp_path, text, "--out", str(disk))
    assert "recording stopped early" in done.err
    (trace,) = (path for path in disk.iterdir() if path.is_dir())
    assert [event.step for event in read(trace).of("Log")] == [0, 1, 2, 3, 4, 5]
    why = tdbg(tmp_path, "why", str(disk))
    assert why.code == 0, why.err
    assert "tf.math.log(x)" in why.out
