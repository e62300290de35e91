"""Knows masks in graphs: numbers that are made of nothing but truth values and constants."""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.model import NONE, TensorRef
from tensordbg.recording.catalog import Catalog

_KEEPING = frozenset(
    {
        "BroadcastTo", "Cast", "ConcatV2", "ExpandDims", "Fill", "GatherV2", "Identity", "MatrixBandPart", "Maximum",
        "Minimum", "Mul", "OnesLike", "Pack", "Pad", "PadV2", "Reshape", "Select", "SelectV2", "Squeeze",
        "StridedSlice", "Sub", "Tile", "Transpose", "ZerosLike",
    }
)  # fmt: skip
"""Operations that make masks of masks."""

_ASKING = frozenset({"Range", "Shape", "Size"})
"""Operations whose results are sizes and places, where what keeps a mask takes them."""

_CONSTANT = "constant"
_DEEPEST = 12


def is_made_of_truths(catalog: Catalog, reference: TensorRef) -> bool:
    """Whether a tensor of a graph is, and truth values are among it."""
    leaves = set(_leaves(catalog, reference))
    return all(leaf in ("bool", _CONSTANT) for leaf in leaves) and "bool" in leaves


def _leaves(catalog: Catalog, reference: TensorRef) -> Iterator[str]:
    """The dtypes of what a mask is made of, as far as operations keep masks; each value counts once at each depth."""
    waiting = [(reference, _DEEPEST)]
    seen = set(waiting)
    while waiting:
        each, depth = waiting.pop()
        site = None if each.site == NONE else catalog.site(each.site)
        dtype = "" if site is None or each.slot >= len(site.dtypes) else site.dtypes[each.slot]
        if site is None:
            yield ""
        elif site.op_type == "Const":
            yield _CONSTANT
        elif dtype != "bool" and site.op_type in _KEEPING and depth:
            before = [(given, depth - 1) for given in site.inputs if (given, depth - 1) not in seen]
            seen.update(before)
            waiting += before
        elif dtype == "bool" or site.op_type not in _ASKING:
            yield dtype
