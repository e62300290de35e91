"""TensorFlow's operations that several processes, or devices, run together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.collective import Collective

COLLECTIVES: Mapping[str, Collective] = MappingProxyType(
    {
        "CollectiveAllToAllV2": Collective("all-to-all", 2, 3),
        "CollectiveAllToAllV3": Collective("all-to-all"),
        "CollectiveBcastRecv": Collective("broadcast", receives=True),
        "CollectiveBcastRecvV2": Collective("broadcast", 1, 2, receives=True),
        "CollectiveBcastSend": Collective("broadcast"),
        "CollectiveBcastSendV2": Collective("broadcast", 2, 3),
        "CollectiveGather": Collective("all-gather"),
        "CollectiveGatherV2": Collective("all-gather", 2, 3),
        "CollectivePermute": Collective("permutation"),
        "CollectiveReduce": Collective("all-reduce"),
        "CollectiveReduceScatterV2": Collective("reduce-scatter", 2, 3),
        "CollectiveReduceV2": Collective("all-reduce", 2, 3),
        "CollectiveReduceV3": Collective("all-reduce"),
        "NcclAllReduce": Collective("all-reduce", instance_attribute="shared_name", between="device"),
        "NcclBroadcast": Collective("broadcast", between="device"),
        "NcclReduce": Collective("reduction", between="device"),
    }
)
"""All that are known, by the type of the operation."""
