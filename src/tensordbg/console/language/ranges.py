"""The ranges of `pt -r`: `0,1e-8`, `[-0.1,0.1]`, `(0, 1]`, `nan`, or several as `[[-inf,-1],[1,inf]]`."""

from __future__ import annotations

import re

from tensordbg.analysis.tensors.intervals import Interval, parse_interval

_PAIR = re.compile(r"[^\s,\[\]()]+\s*,\s*[^\s,\[\]()]+")
_ONE = re.compile(r"[\[(][^\[\]()]*[\])]|nan", re.IGNORECASE)


def parse_ranges(text: str) -> tuple[Interval, ...]:
    """Reads one range or several.

    Raises:
        UsageError: If it is none.
    """
    typed = text.strip()
    if not typed:
        return ()
    if _PAIR.fullmatch(typed):
        return (parse_interval(f"[{typed}]"),)
    inner = typed[1:-1] if typed.startswith(("[[", "[(")) else typed
    found = _ONE.findall(inner)
    rest = _ONE.sub("", inner).replace(",", "").strip()
    return (parse_interval(typed),) if rest or not found else tuple(map(parse_interval, found))
