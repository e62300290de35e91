from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import pytest

from tensordbg.opening import UnfitFileError, is_folder, is_regular, open_regular, read_packed, read_whole


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "trace" / "segments"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(b"1234")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_bytes(b"secret")
    return tmp_path / "trace"


def test_a_file_in_a_folder_is_read(folder: Path) -> None:
    path = folder / "segments" / "file"
    assert read_whole(path, 4) == read_whole(path, 100, folder) == b"1234"
    with open_regular(path, folder) as file:
        assert file.read(2) == b"12"


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    link = folder.with_name("link")
    link.symlink_to(folder)
    assert read_whole(link / "segments" / "file", 10, link) == b"1234"


def test_a_link_is_not_followed(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "outside" / "file")
    with pytest.raises(UnfitFileError, match="is a link, and links are not followed"):
        read_whole(folder / "link", 100)
    (folder / "values").symlink_to(folder.parent / "outside")
    with pytest.raises(UnfitFileError, match="values is a link or no folder, and links are not followed"):
        read_whole(folder / "values" / "file", 100, folder)
    assert not is_regular(folder / "link")
    assert not is_folder(folder / "values")


def test_what_is_no_file_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    for path in (folder / "pipe", folder / "segments", folder / "socket", Path("/dev/zero")):
        with pytest.raises(UnfitFileError, match="is no regular file"):
            read_whole(path, 100)
        assert not is_regular(path)


def test_what_is_missing_is_said_so(folder: Path) -> None:
    for path in (folder / "none", folder / "none" / "file"):
        with pytest.raises(FileNotFoundError):
            read_whole(path, 100, folder)


def test_no_more_is_read_than_may_be(folder: Path) -> None:
    with pytest.raises(UnfitFileError, match="has 4 bytes, but at most 3 are read"):
        read_whole(folder / "segments" / "file", 3)
    (folder / "large").touch()
    os.truncate(folder / "large", 2**40)
    with pytest.raises(UnfitFileError, match="but at most 100 are read"):
        read_whole(folder / "large", 100)


def test_what_was_compressed_is_bounded_too(folder: Path) -> None:
    packed = folder / "packed"
    packed.write_bytes(gzip.compress(b"text" * 10))
    assert read_packed(packed, 100) == b"text" * 10
    packed.write_bytes(gzip.compress(bytes(2**26)))
    with pytest.raises(UnfitFileError, match="holds more than 1,000,000 bytes"):
        read_packed(packed, 1_000_000)


@pytest.mark.parametrize("damage", [b"", b"no gzip at all", gzip.compress(b"text" * 50, mtime=0)[:-9]])
def test_damaged_files_of_gzip(folder: Path, damage: bytes) -> None:
    (folder / "packed").write_bytes(damage)
    with pytest.raises(UnfitFileError):
        read_packed(folder / "packed", 1000)
