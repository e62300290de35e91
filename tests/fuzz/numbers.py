"""Values that a forger or a broken disk may put into the place of any other."""

from __future__ import annotations

import json
import random
from typing import Any

NUMBERS = (
    *(0, 1, 2, 3, -1, -2, 7, 255, 256, 65535, 65536, 10**6, 2**21, 2**24, 2_000_000_000),
    *(2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**47, 2**53, 4_000_000_000_000, 2**62, 2**63 - 1, -(2**63)),
)
TEXTS = (
    "",
    "x",
    "\ud800",
    "\x1b[31m",
    "\n",
    "a" * 100_000,
    "../../etc/passwd",
    "/dev/zero",
    "[[[",
    "{}",
    "[1e9]",
    "%s{}",
)


def any_number(chance: random.Random) -> int:
    """One of those at which something changes, or any."""
    return chance.choice(NUMBERS) if chance.random() < 0.8 else chance.randrange(-(2**63), 2**64)


def any_value(chance: random.Random) -> Any:
    """Something that JSON can hold, of any type."""
    kind = chance.randrange(10)
    if kind < 4:
        return any_number(chance)
    if kind < 6:
        return chance.choice(TEXTS)
    return chance.choice([None, True, False, [], {}, [[]], [{}], 0.5, 1e308, 1e400, 10**400])


def any_text(chance: random.Random) -> str:
    """JSON of any value, or of one that is nested deep."""
    if chance.random() < 0.05:
        depth = chance.choice([5, 900, 100_000])
        return "[" * depth + "]" * depth
    return json.dumps(any_value(chance))
