"""Operations that several processes, or devices, run together: what each puts in, all get out.

Each run of one has a number by which the runtimes of the processes find each other (its instance key, within a group).
"""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.model import NONE

_REDUCING = frozenset({"all-reduce", "reduce", "reduce-scatter"})


@dataclass(frozen=True)
class Collective:
    """One type of operation."""

    kind: str
    """What it does, in words; those that work together have the same."""
    group_input: int = NONE
    """Which of its inputs is the number of the group, `NONE` where none is."""
    instance_input: int = NONE
    """Which of its inputs is the number of the run."""
    group_attribute: str = "group_key"
    """The attribute that has it where no input does."""
    instance_attribute: str = "instance_key"
    between: str = "process"
    """Or `device`, where it joins those of one process."""
    receives: bool = False
    """Whether it puts nothing in itself and gets what another sent."""

    @property
    def reduces(self) -> bool:
        """Whether it puts together what the processes have computed each."""
        return self.kind in _REDUCING and self.between == "process"

    @property
    def gathers(self) -> bool:
        """Whether all processes get what each has a part of."""
        return self.kind == "all-gather" and self.between == "process"

    @property
    def size_input(self) -> int:
        """Which of its inputs is the number of parties; that of the group follows it."""
        return NONE if self.group_input == NONE else self.group_input - 1
