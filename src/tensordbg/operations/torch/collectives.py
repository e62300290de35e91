"""PyTorch's operations that several processes run together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.collective import Collective

_ALL_REDUCE = Collective("all-reduce")
_ALL_GATHER = Collective("all-gather")
_REDUCE_SCATTER = Collective("reduce-scatter")
_BROADCAST = Collective("broadcast")

COLLECTIVES: Mapping[str, Collective] = MappingProxyType(
    {
        "_c10d_functional::all_gather_into_tensor": _ALL_GATHER,
        "_c10d_functional::all_reduce": _ALL_REDUCE,
        "_c10d_functional::broadcast": _BROADCAST,
        "_c10d_functional::reduce_scatter_tensor": _REDUCE_SCATTER,
        "c10d::_allgather_base_": _ALL_GATHER,
        "c10d::_reduce_scatter_base_": _REDUCE_SCATTER,
        "c10d::allgather_": _ALL_GATHER,
        "c10d::allreduce_": _ALL_REDUCE,
        "c10d::broadcast_": _BROADCAST,
        "c10d::recv_": Collective("receive", receives=True),
        "c10d::reduce_": Collective("reduce"),
        "c10d::reduce_scatter_": _REDUCE_SCATTER,
    }
)
