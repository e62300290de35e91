"""What a program does with descriptors neither loses a line of ours nor puts one into a file of its own."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.trace.held_file import HIGH, HeldFile


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldFile]:
    file = HeldFile(tmp_path / "held")
    yield file
    file.close()


def descriptor_of(path: Path) -> int:
    """Under which number this process has a file open."""
    (found,) = [
        int(each.name) for each in Path("/proc/self/fd").iterdir() if each.exists() and each.resolve() == path.resolve()
    ]
    return found


def take(number: int, path: Path) -> int:
    """Closes what has this number, and opens a file of the program under it."""
    os.close(number)
    opened = os.open(path, os.O_RDWR | os.O_CREAT)
    assert os.dup2(opened, number) == number
    os.close(opened)
    return number


def test_appends(held: HeldFile, tmp_path: Path) -> None:
    held.append(b"one\n")
    held.append(b"two\n")
    assert (tmp_path / "held").read_bytes() == b"one\ntwo\n"


def test_takes_no_number_that_the_program_would_get(held: HeldFile, tmp_path: Path) -> None:
    assert descriptor_of(tmp_path / "held") >= HIGH
    held.append(b"")


def test_has_a_low_number_where_there_are_no_others(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (HIGH, limits[1]))
    try:
        held = HeldFile(tmp_path / "held")
        assert descriptor_of(tmp_path / "held") < HIGH
        held.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_file_that_the_program_closed_is_opened_again(
    held: HeldFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.append(b"one\n")
    monkeypatch.chdir("/")
    os.close(descriptor_of(tmp_path / "held"))
    held.append(b"two\n")
    assert (tmp_path / "held").read_bytes() == b"one\ntwo\n"


def test_nothing_goes_into_the_programs_own_file(held: HeldFile, tmp_path: Path) -> None:
    own = take(descriptor_of(tmp_path / "held"), tmp_path / "own")
    held.append(b"two\n")
    held.close()
    assert os.write(own, b"mine") == 4
    os.close(own)
    assert [(tmp_path / name).read_bytes() for name in ("held", "own")] == [b"two\n", b"mine"]


def test_closing_leaves_the_programs_own_file_open(tmp_path: Path) -> None:
    held = HeldFile(tmp_path / "held")
    own = take(descriptor_of(tmp_path / "held"), tmp_path / "own")
    held.close()
    os.close(own)


@pytest.mark.parametrize("instead", [None, b"another"])
def test_a_file_that_is_gone_is_an_error(held: HeldFile, tmp_path: Path, instead: bytes | None) -> None:
    os.close(descriptor_of(tmp_path / "held"))
    (tmp_path / "held").rename(tmp_path / "kept")
    if instead is not None:
        (tmp_path / "held").write_bytes(instead)
    with pytest.raises(OSError, match="No such file" if instead is None else "another file has taken its place"):
        held.append(b"two\n")
    assert (tmp_path / "kept").read_bytes() == b""


def test_there_must_be_no_file_yet(held: HeldFile, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        HeldFile(tmp_path / "held")
    held.append(b"")
