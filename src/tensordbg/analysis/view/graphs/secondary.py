"""Operations that a whole graph shows only when it is asked for them: constants, and the backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind


class Secondary(str, Enum):
    """Why an operation is not what a reader of a graph looks for first."""

    NO = ""
    CONSTANT = "constant"
    BACKWARD = "backward"


def secondary_of(site: Site) -> Secondary:
    """Why an operation is secondary; `NO` where it is shown at first."""
    if site.backward:
        return Secondary.BACKWARD
    return Secondary.CONSTANT if operation_of(site).kind is Kind.CONSTANT else Secondary.NO


def secondary_together(sites: Iterable[Site]) -> Secondary:
    """Why a box is secondary as a whole; constants of a backward pass are part of that."""
    found = {secondary_of(site) for site in sites}
    if found == {Secondary.CONSTANT}:
        return Secondary.CONSTANT
    return Secondary.BACKWARD if found and found <= {Secondary.BACKWARD, Secondary.CONSTANT} else Secondary.NO
