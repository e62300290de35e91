"""One alert, as a frozen dataclass: the input of `wire` and `report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tensordbg.analysis.finding import SourceLine

Given = int | str | list[str]
"""A piece of evidence."""


@dataclass(frozen=True)
class Alert:
    """Something that one should know of how the program ran."""

    kind: str
    """`retracing` or `placement`."""
    function: str
    """Python name of the function that it is about, or that holds the operation."""
    tensor: str
    """The tensor that it is about, `Log:0`; empty where it is about a function."""
    source: SourceLine | None
    """The innermost line of the user's own code that brought it about."""
    explanation: str
    """What is wrong, in a sentence with the numbers of this case."""
    suggestion: str
    """What can be done."""
    evidence: Mapping[str, Given] = field(default_factory=dict)
    """The numbers by name."""
    process: str = ""
    """Which process of a run it was in, the first of several; empty where there is only one."""
