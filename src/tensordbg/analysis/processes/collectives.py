"""Operations that several processes, or devices, run together: how their runs are told apart.

Each run has a number by which the runtimes of the processes find each other, so that it can be told which run in one
process is which in another.
"""

from __future__ import annotations

import json
import zlib

from tensordbg.model import NONE, Site


def attribute_number(site: Site, name: str) -> int:
    """A whole number among an operation's attributes, for a text one that stands for it; `NONE` where there is none."""
    value = json.loads(site.attributes).get(name)
    if isinstance(value, str):
        return zlib.crc32(value.encode())
    return value if isinstance(value, int) else NONE
