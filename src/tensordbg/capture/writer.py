"""Writes captures: whole or not at all.

A capture is written into a hidden folder beside its place and renamed when all is on the disk; what a crash leaves is
hidden, and removed by the next writer of the same folder once its process is gone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec

from tensordbg.capture.header import Header
from tensordbg.capture.tensors import Array, write_tensors

HEADER_FILE = "capture.json"
BATCH_FILE = "batch.safetensors"
VARIABLES_FILE = "variables.safetensors"
FUNCTION_FILE = "function.pb"
TABLES_FILE = "tables.safetensors"

_HIDDEN = ".capture-"


def write_capture(
    place: Path, header: Header, batch: Mapping[str, Array], variables: Mapping[str, Array], files: Mapping[str, bytes]
) -> Path:
    """Writes one capture.

    Args:
        place: The capture's folder, which must not be there yet; the folder around it is made.
        header: What it says of itself.
        batch: Tensors by the keys of `header.arguments`.
        variables: Tensors by the keys of `header.variables`.
        files: Further files by name.

    Returns:
        The folder, with a number behind its name where that was taken meanwhile.

    Raises:
        OSError: If it can't be written; nothing is left then.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(place.parent)
    hidden = place.parent / f"{_HIDDEN}{os.getpid()}-{header.id}"
    hidden.mkdir()
    try:
        write_tensors(hidden / BATCH_FILE, batch)
        write_tensors(hidden / VARIABLES_FILE, variables)
        for name, content in files.items():
            (hidden / name).write_bytes(content)
        (hidden / HEADER_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(asdict(header))))
        for file in hidden.iterdir():
            _flush(file)
        _flush(hidden)
        return _rename(hidden, place)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        raise


def remove_leftovers(folder: Path) -> None:
    """Removes what processes that are gone began to write."""
    for hidden in folder.glob(f"{_HIDDEN}*"):
        number = hidden.name.removeprefix(_HIDDEN).partition("-")[0]
        if number.isdigit() and not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
            shutil.rmtree(hidden, ignore_errors=True)


def _rename(hidden: Path, place: Path) -> Path:
    """Gives it its name; a rename onto a folder that holds something fails, so nothing is replaced."""
    for count in range(1, 10_000):
        target = place if count == 1 else place.with_name(f"{place.name}-{count}")
        try:
            hidden.rename(target)
        except OSError:
            if not target.exists():
                raise
            continue
        _flush(target.parent)
        return target
    raise OSError(f"{place} and its followers are taken")


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
