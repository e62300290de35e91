"""Which paths are addresses of object storage."""

from __future__ import annotations

import re
from pathlib import Path

_ADDRESS = re.compile(r"([a-z][a-z0-9+-]+)(::|:/+)(.*)", re.DOTALL)
"""With one slash too: `Path` takes the second away. A letter alone is a drive."""

_LOCAL = frozenset({"file", "local"})


def address_of(path: str | Path) -> str | None:
    """The address that a path is, in the form in which fsspec takes it; None of a path on this machine."""
    match = _ADDRESS.fullmatch(str(path))
    if match is None or match[1] in _LOCAL or Path(path).exists():
        return None
    between = "::" if match[2] == "::" else "://"
    return f"{match[1]}{between}{match[3].rstrip('/')}"


def protocol_of(address: str) -> str:
    """The protocol of an address, such as `s3`."""
    return re.split("::|://", address, maxsplit=1)[0]
