"""Describes the tensors that were refused for the end of the trace: what made them, and what the program calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tensordbg.model import NONE, StatedTensor
from tensordbg.recording.bound_names import lines_that_raised, named_at
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.holders import note_tables
from tensordbg.recording.log import made_by

_SAME = frozenset({"aten::alias", "aten::detach", "aten::lift_fresh"})
"""Views that differ in nothing from what they show."""

_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}
"""How PyTorch's C++ calls dtypes, and how everybody does."""

_MOST_NAMED = 100
"""So many tensors of a line are looked at."""

note_tables("_parameters", "_buffers", "_modules")


class View(NamedTuple):
    """A step back from a tensor that is a view, as the observer gives it."""

    site: int
    dtype: str
    shape: tuple[int, ...] | None
    """Of what it shows."""


class Handed(NamedTuple):
    """A tensor that an operation was given."""

    reference: int
    dtype: str
    shape: tuple[int, ...] | None
    views: list[tuple[int, str, tuple[int, ...] | None]]
    on_meta: bool = False
    """Whether it is a shape without elements, on the meta device."""
    address: int = 0
    """Of its first element, 0 where that is not known."""


class Held(NamedTuple):
    """A tensor that the program has a name for."""

    name: str
    given: Handed


def held_tensor(tensor: Any, observer: Any) -> Handed:
    """Describes a tensor that Python holds."""
    known = observer.known_tensor(tensor)
    if known is not None:
        return Handed(*known)
    try:
        shape = tuple(int(dim) for dim in tensor.shape)
    except (TypeError, RuntimeError):
        shape = None
    return Handed(NONE, str(tensor.dtype).removeprefix("torch."), shape, [], bool(getattr(tensor, "is_meta", False)))


def held_where_raised(error: BaseException, observer: Any, is_own: Callable[[str], bool]) -> list[list[Held]]:
    """The tensors that the program's own lines in the traceback of an error mention, by line, the innermost first."""
    from torch import Tensor

    found = []
    for line in lines_that_raised(error, is_own):
        tensors = [(name, value) for name, value in named_at(line) if isinstance(value, Tensor)][:_MOST_NAMED]
        found.append([Held(name, held_tensor(value, observer)) for name, value in tensors])
    return found


class StatedTensors:
    """Tensors as the end of the trace tells them: first what was refused, then what its views were made of."""

    def __init__(self, catalog: Catalog, held: Sequence[Sequence[Held]]) -> None:
        """Holds none yet.

        Args:
            catalog: Of the recording.
            held: What the program has names for, by line, the innermost line first.
        """
        self._catalog = catalog
        self._held = held
        self._behind: list[StatedTensor] = []

    def of(self, given: Sequence[Handed]) -> list[StatedTensor]:
        """Those that were refused, in order, and behind them what their views were made of."""
        first = len(given)
        self._behind = []
        stated = [self._one(each, first) for each in given]
        return [*stated, *self._behind]

    def _one(self, given: Handed, first: int) -> StatedTensor:
        chain = self._chain(given)
        name, views = self._name(given, chain)
        names = [name if k == views else "" for k in range(len(chain) + 1)]
        dtype = _dtype(given.dtype)
        if not chain:
            return self._made(given, dtype, given.shape, name)
        kinds = [(dtype, given.shape), *((_dtype(each.dtype), each.shape) for each in chain[:-1])]
        places = [first + len(self._behind) + k for k in range(len(chain))]
        views_of = [
            self._view(view, StatedTensor("", "", dtype, shape, inputs=(place,), called=called))
            for view, (dtype, shape), place, called in zip(chain, kinds, places, names[:-1], strict=True)
        ]
        self._behind += [*views_of[1:], self._made(given, _dtype(chain[-1].dtype), chain[-1].shape, names[-1])]
        return views_of[0]

    def _chain(self, given: Handed) -> list[View]:
        """The views by which a tensor shows what was made, the last one first."""
        return [view for view in map(View._make, given.views) if self._catalog.site(view.site).op_type not in _SAME]

    def _name(self, given: Handed, chain: Sequence[View]) -> tuple[str, int]:
        """The name of a tensor, or of what it is a view of, and how many views lie between; empty without one."""
        for line in self._held:
            found = sorted(self._names(given, chain, line))
            nearest = [each for each in found if each[:2] == found[0][:2]]
            # Of the parts of one tensor those that lie elsewhere can't be told apart.
            if nearest and (not nearest[0][1] or len(nearest) == 1):
                return nearest[0][3], nearest[0][0]
        return "", NONE

    def _names(self, given: Handed, chain: Sequence[View], held: Sequence[Held]) -> list[tuple[int, bool, int, str]]:
        """How many views lie between, whether it lies elsewhere, the place in the line, and the name."""
        found = []
        for place, (name, each) in enumerate(held):
            behind, elsewhere = self._chain(each), each.address != given.address
            between = len(chain) - len(behind)
            if each.reference != given.reference or between < 0 or [*chain[between:]] != behind:
                continue
            if not between and (elsewhere or each.shape != given.shape):
                continue  # other parts of the same tensor
            if given.reference != NONE or not elsewhere:
                found.append((between, elsewhere, place, name))
        return found

    def _view(self, view: View, stated: StatedTensor) -> StatedTensor:
        site = self._catalog.site(view.site)
        self._catalog.use_site(view.site)
        return replace(stated, tensor=f"{site.name}:0", op_type=site.op_type, stack=site.stack)

    def _made(self, given: Handed, dtype: str, shape: tuple[int, ...] | None, called: str) -> StatedTensor:
        if given.reference < 0:
            name = called or ("tensor on meta" if given.on_meta else "tensor")
            return StatedTensor(name, "", dtype, shape, called=called)
        execution, slot = made_by(given.reference)
        return StatedTensor("tensor", "", dtype, shape, execution=execution, slot=slot, called=called)


def _dtype(name: str) -> str:
    return _DTYPES.get(name, name)
