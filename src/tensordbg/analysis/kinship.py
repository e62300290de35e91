"""Origins of one root: a forward operation and its gradient that were both given the same bad number.

The logarithm of 0 is -inf, and its gradient, 1/0, is infinite too. Neither was made from the other, so both are
origins; but there is one thing to mend, and what the gradient reaches is the forward operation's doing as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensordbg.analysis.evidence import Evidence
from tensordbg.analysis.groups import Group
from tensordbg.analysis.reading import Bools


def join_kin(
    groups: Sequence[Group], evidence: Sequence[Evidence], gradient_site: Bools
) -> tuple[list[Group], dict[int, int]]:
    """Let forward origins reach what their gradients reach.

    Args:
        groups: The origins, in order.
        evidence: Of each.
        gradient_site: For each site whether it belongs to a backward pass.

    Returns:
        groups: The same; forward origins that matter know their gradients and reach what those reach.
        elder: For the position of a gradient that of the forward origin with the same input.
    """
    forward: dict[int, int] = {}
    for k, each in enumerate(evidence):
        if not gradient_site[each.site.site]:
            for event in _inputs(each):
                forward.setdefault(event, k)
    joined = list(groups)
    elder: dict[int, int] = {}
    for k, (group, each) in enumerate(zip(groups, evidence, strict=True)):
        kin = [forward[event] for event in _inputs(each) if event in forward]
        if not kin or not gradient_site[each.site.site]:
            continue
        elder[k] = min(kin)
        first = joined[elder[k]]
        if first.reach and group.reach:
            joined[elder[k]] = replace(first, reach=first.reach | group.reach, kin=(*first.kin, group.node))
    return joined, elder


def _inputs(evidence: Evidence) -> frozenset[int]:
    return frozenset[int]().union(*(given.same for given in evidence.inputs))
