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
    leaves = [*_leaves(catalog, reference, _DEEPEST)]
    return all(leaf in ("bool", _CONSTANT) for leaf in leaves) and "bool" in leaves


def _leaves(catalog: Catalog, reference: TensorRef, depth: int) -> Iterator[str]:
    """The dtypes of what a mask is made of, as far as operations keep masks."""
    site = None if reference.site == NONE else catalog.site(reference.site)
    if site is None:
        yield ""
    elif site.op_type == "Const":
        yield _CONSTANT
    elif reference.slot < len(site.dtypes) and site.dtypes[reference.slot] == "bool":
        yield "bool"
    elif site.op_type in _KEEPING and depth:
        for each in site.inputs:
            yield from _leaves(catalog, each, depth - 1)
    elif site.op_type not in _ASKING:
        yield site.dtypes[reference.slot] if reference.slot < len(site.dtypes) else ""
