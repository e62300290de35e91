"""Tells what an origin decided: with its line, its step and, of a branch, which one ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.analysis.decisions.choosing import branch_that_ran
from tensordbg.analysis.decisions.decided import Decides, Decision
from tensordbg.analysis.finding import Decided, EndedLoop
from tensordbg.analysis.origins.find import Origins
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind


@dataclass(frozen=True)
class TellDecided:
    """Tells of the decisions of all origins."""

    origins: Origins
    details: Details
    locations: Locations

    def loops(self, node: int) -> tuple[EndedLoop, ...]:
        """The loops that an origin ended."""
        return tuple(
            EndedLoop(each.tensor, each.source, each.step, each.iteration)
            for what, each in self._all(node)
            if what is Decides.LOOP
        )

    def others(self, node: int) -> tuple[Decided, ...]:
        """Everything that it decided but the ends of loops."""
        return tuple(each for what, each in self._all(node) if what is not Decides.LOOP)

    def _all(self, node: int) -> Iterator[tuple[Decides, Decided]]:
        bits = int(self.origins.decided[node])
        for number, decision in enumerate(self.origins.decisions):
            if bits >> number & 1:
                yield decision.root.what, self._decided(decision)

    def _decided(self, decision: Decision) -> Decided:
        values, root = self.origins.values, decision.root
        compared = values.program.sites[decision.site]
        site = compared if root.site == NONE else values.program.sites[root.site]
        invocation = decision.invocation if root.site == NONE else root.invocation
        turn = int(values.invocations.iteration[invocation])
        execution = int(values.invocations.execution[invocation])
        return Decided(
            what=root.what.name.lower(),
            tensor=f"{compared.name}:{1 if operation_of(compared).kind is Kind.TOP_K else 0}",
            source=self.locations.own(self.locations.stack(site.stack)),
            step=int(values.executions.step[execution]) if execution >= 0 else NONE,
            iteration=turn if turn >= 0 else None,
            branch=branch_that_ran(values, self.details, root) if root.what is Decides.BRANCH else "",
            times=decision.times,
        )
