"""Which forward operation an operation of a backward pass belongs to, where neither attributes nor names tell.

The gradient of an arc cosine is a square, a difference, a square root and a reciprocal, in no scope of their own. What
they are computed from tells: one tensor of the forward pass, and the forward operation is what else takes that.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.operations import VALUE_FREE
from tensordbg.analysis.ports import Ports
from tensordbg.analysis.program import Program
from tensordbg.analysis.reading import Bools
from tensordbg.model import NONE, Site

_PASSING = frozenset({"Identity", "StopGradient"})
_MOST = 64
"""So many operations back are looked at: the gradient of one operation has a few."""
_TAPE = "gradient_tape/"


class ForwardOperations:
    """Finds them in the graphs of a program."""

    def __init__(self, program: Program, ports: Ports, gradient_site: Bools) -> None:
        """`gradient_site` tells of each site whether it belongs to a backward pass."""
        self._sites = program.sites
        self._ports = ports
        self._gradient_site = gradient_site

    def of(self, site: Site) -> Site | None:
        """The forward operation whose gradient a site of a backward pass computes; None where that is not certain."""
        known = self._sites.get(site.gradient_of)
        if known is not None or not self._gradient_site[site.site] or site.function == NONE:
            return known
        taken = self._taken_from_forward(site.site)
        if taken == NONE:
            return None
        takers = self._forward_takers(taken)
        if len(takers) > 1:
            scope = _scope(site.name.removeprefix(_TAPE))
            takers = [each for each in takers if _scope(each.name) == scope]
        return takers[0] if len(takers) == 1 else None

    def _taken_from_forward(self, origin: int) -> int:
        """The only port of the forward pass that it is computed from, constants apart; else `NONE`."""
        waiting, seen, found = [origin], {origin}, set[int]()
        while waiting and len(seen) <= _MOST:
            for port in self._ports.inputs.of(waiting.pop()):
                maker = self._sites.get(int(self._ports.site[port]))
                if maker is None or maker.op_type == "Const" or maker.op_type in VALUE_FREE:
                    continue
                if not self._gradient_site[maker.site]:
                    found.add(int(port))
                elif maker.site not in seen:
                    seen.add(maker.site)
                    waiting.append(maker.site)
        return found.pop() if len(found) == 1 and not waiting else NONE

    def _forward_takers(self, port: int) -> list[Site]:
        """The operations of forward passes that make something of a tensor."""
        inputs = self._ports.inputs
        places = np.flatnonzero(inputs.ports == port)
        takers = np.unique(np.searchsorted(inputs.starts, places, side="right") - 1)
        sites = [self._sites[taker] for taker in takers.tolist() if not self._gradient_site[taker]]
        return [site for site in sites if site.op_type not in VALUE_FREE | _PASSING]


def _scope(name: str) -> str:
    return name.rpartition("/")[0]
