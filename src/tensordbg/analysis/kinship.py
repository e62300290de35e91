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
from tensordbg.model import NONE


def join_kin(
    groups: Sequence[Group], evidence: Sequence[Evidence], gradient_site: Bools
) -> tuple[list[Group], dict[int, int]]:
    """Let forward origins reach what their gradients reach.

    Args:
        groups: The origins, in order.
        evidence: Of each.
        gradient_site: For each site whether it belongs to a backward pass.

    Returns:
        groups: The same; forward origins know their gradients and reach what those reach.
        elder: For the position of a gradient that of the forward origin with the same input.
    """
    joined = list(groups)
    forward: dict[int, int] = {}
    elder: dict[int, int] = {}
    for k, (group, each) in enumerate(zip(groups, evidence, strict=True)):
        if not group.reach:
            continue
        events = {given.event for given in each.inputs if given.event != NONE}
        if not gradient_site[each.site.site]:
            for event in events:
                forward.setdefault(event, k)
            continue
        kin = [forward[event] for event in events if event in forward]
        if kin:
            elder[k] = min(kin)
            first = joined[elder[k]]
            joined[elder[k]] = replace(first, reach=first.reach | group.reach, kin=(*first.kin, group.node))
    return joined, elder
