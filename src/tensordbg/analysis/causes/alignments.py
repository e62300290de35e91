"""Losses over alignments: infinite where the labels can't lie along the sequence in any way."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, all_finite
from tensordbg.operations.kinds import Kind


def _impossible(case: Case) -> bool:
    """Of finite probabilities each alignment has a finite one, so that there is none at all."""
    return case.operation.kind is Kind.ALIGNMENT_LOSS and case.output.pos_inf > 0 and all_finite(case.healths()[:1])


def _explain(case: Case) -> str:
    shape = case.shape(0)
    # Positions come before sequences, unless the network's own output is seen through a transposition.
    known = shape is not None and len(shape) == 3 and shape[0] != shape[1] == case.output.size
    positions = f" has {shape[0]:,} positions" if shape and known else " is finite"
    return (
        f"{case.name(0)}{positions}, and {case.output.pos_inf:,} of the {case.output.size:,} sequences can't hold "
        "their labels: each label needs a position, and one more where it follows its like, so that no alignment is "
        "left and the loss is infinite."
    )


def _fix(case: Case) -> str:
    return case.fix("impossible_alignment")


CAUSES = (Cause("impossible_alignment", _impossible, _explain, _fix),)
