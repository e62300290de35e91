"""PyTorch's operations that several processes run together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.collective import Collective

_ALL_REDUCE = Collective("all-reduce")
_ALL_GATHER = Collective("all-gather")
_REDUCE_SCATTER = Collective("reduce-scatter")
_BROADCAST = Collective("broadcast")
_ALL_TO_ALL = Collective("all-to-all")
_MESSAGE = Collective("message", receives=True)

COLLECTIVES: Mapping[str, Collective] = MappingProxyType(
    {
        "c10d::_allgather_base_": _ALL_GATHER,
        "c10d::_reduce_scatter_base_": _REDUCE_SCATTER,
        "c10d::allgather_": _ALL_GATHER,
        "c10d::allgather_coalesced_": _ALL_GATHER,
        "c10d::allgather_into_tensor_coalesced_": _ALL_GATHER,
        "c10d::allreduce_": _ALL_REDUCE,
        "c10d::allreduce_coalesced_": _ALL_REDUCE,
        "c10d::alltoall_": _ALL_TO_ALL,
        "c10d::alltoall_base_": _ALL_TO_ALL,
        "c10d::broadcast_": _BROADCAST,
        "c10d::gather_": Collective("gather"),
        "c10d::recv_": _MESSAGE,
        "c10d::recv_any_source_": _MESSAGE,
        "c10d::reduce_": Collective("reduce"),
        "c10d::reduce_scatter_": _REDUCE_SCATTER,
        "c10d::reduce_scatter_tensor_coalesced_": _REDUCE_SCATTER,
        "c10d::scatter_": Collective("scatter"),
        "c10d::send": _MESSAGE,
    }
)
"""What functional ones (`_c10d_functional::all_reduce`) are made of is among them."""
