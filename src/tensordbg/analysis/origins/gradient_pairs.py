"""Origins of one root: a forward operation and its gradient that were both given the same bad number.

The logarithm of 0 is -inf, and its gradient, 1/0, is infinite too. Neither was made from the other, so both are
origins; but there is one thing to fix, and what the gradient reaches is the forward operation's doing as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.origins.evidence import Evidence
from tensordbg.model import Site


def find_forward_origins(
    evidence: Sequence[Evidence], gradient_site: Bools, forward: Sequence[Site | None], types: Sequence[str]
) -> dict[int, int]:
    """For each origin that is the gradient of another, by their positions, the other.

    Args:
        evidence: Of each origin, in order.
        gradient_site: For each site whether it belongs to a backward pass.
        forward: For each origin its forward operation, where it is a gradient and that is known.
        types: For each origin the type that it is the gradient of, in lower case and empty where that is not known.
    """
    by_input: dict[int, int] = {}
    by_site: dict[int, int] = {}
    by_type: dict[tuple[int, str], list[int]] = {}
    for k, each in enumerate(evidence):
        if not gradient_site[each.site.site]:
            by_site.setdefault(each.site.site, k)
            by_type.setdefault((each.execution, each.site.op_type.lower()), []).append(k)
            for event in _inputs(each):
                by_input.setdefault(event, k)
    forward_of: dict[int, int] = {}
    for k, each in enumerate(evidence):
        if not gradient_site[each.site.site]:
            continue
        known = forward[k]
        together = [by_input[event] for event in _inputs(each) if event in by_input]
        alike = by_type.get((each.execution, types[k]), [])
        if known is not None and known.site in by_site:
            forward_of[k] = by_site[known.site]
        elif together:
            forward_of[k] = min(together)
        elif len(alike) == 1:
            forward_of[k] = alike[0]  # what it was given went through a list or a branch, or was computed a second time
    return forward_of


def _inputs(evidence: Evidence) -> frozenset[int]:
    return frozenset[int]().union(*(given.same for given in evidence.inputs))
