"""Reads captures. Nothing in one is trusted: a file that is not as it should be is one error."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tensordbg.capture.header import FORMAT_VERSION, Header, StoredArgument, StoredTensor, StoredVariable
from tensordbg.capture.tensors import Array, read_tensors, restored
from tensordbg.capture.writer import BATCH_FILE, FUNCTION_FILE, HEADER_FILE, TABLES_FILE, VARIABLES_FILE
from tensordbg.errors import CaptureError
from tensordbg.json_input import load_json, refuse_deep
from tensordbg.model import NONE
from tensordbg.opening import is_regular, read_whole

Stored = TypeVar("Stored", StoredArgument, StoredVariable)

_LARGEST_HEADER = 2**26
_LARGEST_FILE = 2**29
"""Bytes of a file other than those of tensors."""


@dataclass(frozen=True)
class Table:
    """The keys and values of a lookup table."""

    keys: Array
    values: Array
    """One for each key."""


class Capture:
    """A capture on disk. Make one with `open_capture`."""

    def __init__(self, path: Path, header: Header) -> None:
        """Wraps a header that was read."""
        self.path = path
        self.header = header

    def __repr__(self) -> str:
        return f"Capture({str(self.path)!r})"

    def batch(self) -> dict[int, Array]:
        """The arguments of the function, by number; without what was not kept.

        Raises:
            CaptureError: If the file is damaged.
        """
        return {each.argument: array for each, array in self._arguments if each.argument != NONE}

    def elements(self) -> dict[str, Array]:
        """The elements from input pipelines inside the function, by the names of those tensors in its definition.

        Raises:
            CaptureError: If the file is damaged.
        """
        return {each.tensor.name: array for each, array in self._arguments if each.argument == NONE}

    def tensors_of(self, arguments: Sequence[StoredArgument]) -> dict[str, Array]:
        """The tensors that one of the steps was given, by name.

        Args:
            arguments: Those of the header, or of one of its later steps.

        Raises:
            CaptureError: If the file is damaged.
        """
        return {each.tensor.name: array for each, array in self._tensors(BATCH_FILE, arguments)}

    def variables(self) -> dict[int, Array]:
        """The variables before the step, by the number of the argument that is their handle.

        Raises:
            CaptureError: If the file is damaged.
        """
        return {each.argument: array for each, array in self._tensors(VARIABLES_FILE, self.header.variables)}

    def tables(self) -> dict[int, Table]:
        """The lookup tables before the step, by the number of the argument that is their handle.

        Raises:
            CaptureError: If the file is damaged.
        """
        whole = [each for each in self.header.tables if each.keys.key and each.values.key]
        path = self.path / TABLES_FILE
        stored = read_tensors(path) if whole else {}
        return {
            each.argument: Table(_checked(path, stored, each.keys), _checked(path, stored, each.values))
            for each in whole
        }

    def function(self) -> bytes:
        """The function with all that it calls, as a serialized FunctionDefLibrary.

        Raises:
            CaptureError: If it is missing.
        """
        return self._bytes(FUNCTION_FILE)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of one of the files of JSON lines, such as `sites`.

        Raises:
            CaptureError: If it is missing or damaged.
        """
        path = self.path / f"{table}.jsonl"
        try:
            rows = [load_json(line) for line in self._bytes(path.name).splitlines()]
        except ValueError as error:
            raise CaptureError(f"{path} can't be read: {error}; take another capture") from None
        if not all(isinstance(row, dict) for row in rows):
            raise CaptureError(f"{path} can't be read: each line must be a JSON object; take another capture")
        return rows

    def _bytes(self, name: str) -> bytes:
        try:
            return read_whole(self.path / name, _LARGEST_FILE)
        except OSError as error:
            raise CaptureError(f"{self.path / name} can't be read: {error.strerror}; take another capture") from None

    @functools.cached_property
    def _arguments(self) -> list[tuple[StoredArgument, Array]]:
        return self._tensors(BATCH_FILE, self.header.arguments)

    def _tensors(self, name: str, entries: Sequence[Stored]) -> list[tuple[Stored, Array]]:
        """Those that were kept, each as the header says it is."""
        path = self.path / name
        stored = read_tensors(path)
        return [(each, _checked(path, stored, each.tensor)) for each in entries if each.tensor.key]


def open_capture(path: Path | str) -> Capture:
    """Opens a capture.

    Raises:
        CaptureError: If there is none, it is damaged, or of a newer format.
    """
    folder = Path(path)
    file = folder / HEADER_FILE
    try:
        content = read_whole(file, _LARGEST_HEADER)
    except OSError as error:
        raise CaptureError(
            f"{folder} is no capture: {HEADER_FILE} can't be read ({error.strerror}); `tdbg captures` lists some"
        ) from None
    return Capture(folder, _header(file, content))


def _checked(path: Path, stored: Mapping[str, Array], wanted: StoredTensor) -> Array:
    """One tensor, if it is what the header says."""
    if wanted.key not in stored:
        raise CaptureError(f"{path} has no tensor {wanted.key!r}, which the header names; take another capture")
    array = restored(stored[wanted.key], wanted.dtype, wanted.shape)
    if array.shape != wanted.shape:
        raise CaptureError(
            f"{path} has {wanted.key!r} in the shape {list(array.shape)}, but the header says {list(wanted.shape)}; "
            "take another capture"
        )
    return array


def _header(file: Path, content: bytes) -> Header:
    try:
        refuse_deep(content.decode())
        version = msgspec.json.decode(content, type=dict[str, Any]).get("format")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise CaptureError(f"{file} has format {version}, this tensordbg reads up to {FORMAT_VERSION}; update it")
        return msgspec.json.decode(content, type=Header)
    except (msgspec.DecodeError, ValueError) as error:
        raise CaptureError(f"{file} can't be read: {error}; take another capture") from None


def list_captures(folder: Path | str) -> list[Path]:
    """The captures of a folder, the newest last; those that can't be opened are among them.

    Raises:
        CaptureError: If there is no such folder.
    """
    place = Path(folder)
    if not place.is_dir():
        raise CaptureError(f"{place} is no folder; give the folder of captures, which `tdbg trap` makes")
    found = [
        file.parent
        for file in place.glob(f"*/{HEADER_FILE}")
        if not file.parent.name.startswith(".") and is_regular(file)
    ]
    return sorted(found, key=lambda path: ((path / HEADER_FILE).lstat().st_mtime_ns, path.name))
