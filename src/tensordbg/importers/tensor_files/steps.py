"""Which step of a program each of several files is of, as their names tell it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_NUMBER = re.compile(r"(\d+)")
_PART = re.compile(r"\d+-of-\d+")
"""In a name, part so many of so many of one thing: `model-00001-of-00003`."""
_MOST = 2**31


def steps_of(files: Sequence[Path]) -> list[int]:
    """Gives the step of each file; where their names are not alike but for one number, all are of step 0."""
    nothing = [0] * len(files)
    words = [_NUMBER.split(str(file.with_suffix(""))) for file in files]
    if len(files) < 2 or len({len(each) for each in words}) > 1 or any(_PART.search(file.stem) for file in files):
        return nothing
    differing = [place for place, each in enumerate(zip(*words, strict=True)) if len(set(each)) > 1]
    if len(differing) != 1 or not differing[0] % 2:
        return nothing
    steps = [int(each[differing[0]]) for each in words]
    return steps if len(set(steps)) == len(steps) and max(steps) < _MOST else nothing
