"""Operations that several processes, or devices, run together: what each puts in, all get out.

Each run of one has a number by which the runtimes of the processes find each other (its instance key, within a group),
so that it can be told which run in one process is which in another.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from tensordbg.model import NONE, Site


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

    @property
    def size_input(self) -> int:
        """Which of its inputs is the number of parties; that of the group follows it."""
        return NONE if self.group_input == NONE else self.group_input - 1


COLLECTIVES: Mapping[str, Collective] = {
    "CollectiveAllToAllV2": Collective("all-to-all", 2, 3),
    "CollectiveAllToAllV3": Collective("all-to-all"),
    "CollectiveBcastRecv": Collective("broadcast"),
    "CollectiveBcastRecvV2": Collective("broadcast", 1, 2),
    "CollectiveBcastSend": Collective("broadcast"),
    "CollectiveBcastSendV2": Collective("broadcast", 2, 3),
    "CollectiveGather": Collective("all-gather"),
    "CollectiveGatherV2": Collective("all-gather", 2, 3),
    "CollectivePermute": Collective("permutation"),
    "CollectiveReduce": Collective("all-reduce"),
    "CollectiveReduceScatterV2": Collective("reduce-scatter", 2, 3),
    "CollectiveReduceV2": Collective("all-reduce", 2, 3),
    "CollectiveReduceV3": Collective("all-reduce"),
    "NcclAllReduce": Collective("all-reduce", instance_attribute="shared_name"),
    "NcclBroadcast": Collective("broadcast"),
    "NcclReduce": Collective("reduction"),
}
"""All that are known, by the type of the operation."""


def attribute_number(site: Site, name: str) -> int:
    """A whole number among an operation's attributes, for a text one that stands for it; `NONE` where there is none."""
    value = json.loads(site.attributes).get(name)
    if isinstance(value, str):
        return zlib.crc32(value.encode())
    return value if isinstance(value, int) else NONE
