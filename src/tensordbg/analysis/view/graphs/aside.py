"""What a whole graph shows only when it is asked for: constants, and the backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind


class Aside(str, Enum):
    """Why an operation stands aside of what a reader looks for first."""

    NO = ""
    CONSTANT = "constant"
    BACKWARD = "backward"


def aside_of(site: Site) -> Aside:
    """Why an operation stands aside."""
    if site.backward:
        return Aside.BACKWARD
    return Aside.CONSTANT if operation_of(site).kind is Kind.CONSTANT else Aside.NO


def aside_together(sites: Iterable[Site]) -> Aside:
    """The same of all operations in one box; constants of a backward pass are part of that."""
    found = {aside_of(site) for site in sites}
    if found == {Aside.CONSTANT}:
        return Aside.CONSTANT
    return Aside.BACKWARD if found and found <= {Aside.BACKWARD, Aside.CONSTANT} else Aside.NO
