"""A tensor that can't be what its operation gave: the framework regrouped operations and kept the name for another.

TensorFlow makes `x * (a * b)` of `(x * a) * b` where a and b are constants, and gives the product of the constants the
name of `x * a`. Its shape tells, as the result of such an operation has at least the shape of what went into it. Of
PyTorch's operations it tells nothing: what one was given may be a view, and the trace has the tensor that it is one of.
"""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause
from tensordbg.analysis.causes.incoming import bad_elements
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.operations.traits import Trait


def _fits(output: tuple[int, ...], operand: tuple[int, ...]) -> bool:
    """Whether an operand can have been broadcast to an output."""
    if len(operand) > len(output):
        return False
    pairs = zip(reversed(output), reversed(operand), strict=False)
    return all(given in (1, made) for made, given in pairs)


def _misfit(case: Case) -> int | None:
    """The operand that the output can't have been made from."""
    output = case.view.shape
    if (
        case.framework != TENSORFLOW
        or not case.operation.has(Trait.ELEMENT_BY_ELEMENT)
        or case.written
        or output is None
    ):
        return None
    shapes = ((k, case.shape(k)) for k in range(len(case.inputs)))
    return next((k for k, shape in shapes if shape is not None and not _fits(output, shape)), None)


def _explain(case: Case) -> str:
    k = _misfit(case)
    assert k is not None
    return (
        f"{case.view.tensor} has the shape {list(case.view.shape or ())} in this run, and its operand {case.name(k)} "
        f"{list(case.shape(k) or ())}: the graph's optimizer regrouped this operation with those after it, and what "
        f"has its name now is made of their other operands, such as constants, and holds {bad_elements(case.output)}."
    )


def _fix(case: Case) -> str:
    return case.fix("regrouped_operations")


CAUSES = (Cause("regrouped_operations", lambda case: _misfit(case) is not None, _explain, _fix),)
