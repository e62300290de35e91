"""Judges what the checks in functions find: whether it is allowed, and if not, what is to be said."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.truths import is_made_of_truths
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.checking.finding import Finding, Input
from tensordbg.health.measured import Measured
from tensordbg.model import NONE, Site, TensorRef
from tensordbg.recording.catalog import Catalog

Place = tuple[int, int, str, int, int, bool]
"""The site, the slot, the call path, the loop frame (0 outside of loops), the iteration, and whether the tensor was
finite in an earlier run."""

_NUMERIC = {dtypes.DTYPE_NAMES[enum] for enum in dtypes.PROBED}


def graph_finding(catalog: Catalog, place: Place, tensors: Sequence[RawTensor]) -> Finding:
    """Describes the finding of a check in a function.

    Args:
        catalog: Knows the sites.
        place: Where it is.
        tensors: The bad one, then the numeric inputs of its operation.
    """
    number, slot, path, frame, iteration, _ = place
    site = catalog.site(number)
    measured = [measured_of(tensor) for tensor in tensors]
    return Finding(
        op_type=site.op_type,
        name=site.name,
        slot=slot,
        outputs=len(site.dtypes),
        tensor=measured[0],
        inputs=tuple(_inputs(catalog, site, measured[1:])),
        frames=catalog.frames(site.stack) if site.stack != NONE else (),
        function=catalog.function(site.function).name,
        path=path,
        iteration=iteration if frame else None,
        variables=tuple(catalog.variable(variable).name for variable in site.reads),
    )


def _inputs(catalog: Catalog, site: Site, measured: Sequence[Measured]) -> list[Input]:
    """The inputs under their names; those that are no numbers were not handed over."""
    numeric = [_dtype(catalog, reference) in _NUMERIC for reference in site.inputs]
    waiting = iter(measured if sum(numeric) == len(measured) else [])
    return [
        input_of(catalog, reference, next(waiting, None) if is_numeric else None)
        for reference, is_numeric in zip(site.inputs, numeric, strict=True)
    ]


def _dtype(catalog: Catalog, reference: TensorRef) -> str:
    if reference.site == NONE:
        return ""
    known = catalog.site(reference.site).dtypes
    return known[reference.slot] if reference.slot < len(known) else ""


def input_of(catalog: Catalog, reference: TensorRef, measured: Measured | None) -> Input:
    """An input under its name."""
    if reference.site == NONE:
        return Input("Tensor of unknown origin", measured)
    maker = catalog.site(reference.site)
    shape = "" if measured is None else f" shape={measured.array.shape},"
    text = f'Tensor("{maker.name}:{reference.slot}",{shape} dtype={_dtype(catalog, reference)})'
    origin = f'argument "{maker.name}"' if maker.argument != NONE else ""
    return Input(text, measured, origin, maker.op_type == "Const", is_made_of_truths(catalog, reference))
