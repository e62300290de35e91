"""Why the numbers of a program went wrong: from a trace to the origins, with cause, course and suggested mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.causes.case import Case, unravelled
from tensordbg.analysis.causes.table import judge
from tensordbg.analysis.details import Details, function_name
from tensordbg.analysis.events import read_bad, read_events, read_executions
from tensordbg.analysis.evidence import Evidence, Gatherer
from tensordbg.analysis.finding import History, InputView, Origin, TensorView, WhyResult
from tensordbg.analysis.groups import Group, group_origins
from tensordbg.analysis.growth import find_growth
from tensordbg.analysis.locations import Locations
from tensordbg.analysis.operations import INPUT
from tensordbg.analysis.origins import Origins, find_origins
from tensordbg.analysis.program import Program, read_program
from tensordbg.analysis.reach import Reach
from tensordbg.analysis.reading import TraceSource
from tensordbg.analysis.values import locate_values
from tensordbg.model import NONE


def why(trace: TraceSource) -> WhyResult:
    """Find every origin of a trace, those that matter first, then in the order in which they happened."""
    bad, nan = read_bad(trace)
    program = read_program(trace)
    executions = read_executions(trace, program)
    result = WhyResult(len(bad), int(bad.sum()), int(executions.step.max(initial=-1)) + 1, _measured(trace))
    if not bad.any():
        return result
    values = locate_values(program, read_events(trace, executions, bad, nan), executions)
    details = Details(trace, program)
    origins = find_origins(values, details)
    return replace(result, origins=tuple(_Reporter(program, details, origins).report()))


def _measured(trace: TraceSource) -> bool:
    column = trace.table("tensors", ["positive"]).column("positive")
    return len(column) == 0 or column.null_count < len(column)


@dataclass(frozen=True)
class _Reporter:
    """Turns origins into findings."""

    program: Program
    details: Details
    origins: Origins

    def report(self) -> Iterator[Origin]:
        """One finding per group of like origins."""
        groups = group_origins(self.origins)
        gatherer = Gatherer(self.origins.values, self.origins.graph)
        evidence = [gatherer.gather(group.node) for group in groups]
        views = self.details.views(_events_of(groups, evidence))
        locations = Locations(self.program)
        for group, gathered in zip(groups, evidence, strict=True):
            yield self._finding(group, gathered, views, locations)

    def _finding(
        self, group: Group, evidence: Evidence, views: Mapping[int, TensorView], locations: Locations
    ) -> Origin:
        view = self._view(evidence, views)
        inputs = tuple(
            InputView(each.tensor, each.op_type, views.get(each.event), each.made_by) for each in evidence.inputs
        )
        history = [History(view.tensor, tuple(views[event] for event in evidence.past))]
        history += [History(each.tensor, tuple(views[event] for event in each.past)) for each in evidence.inputs]
        stack = locations.stack(evidence.site.stack)
        index = unravelled(view.health, view.shape)
        return Origin(
            view=view,
            first_bad_index=index,
            inputs=inputs,
            stack=stack,
            source=locations.own(stack),
            verdict=judge(replace(self._case(evidence, view, inputs, history), first_bad_index=index)),
            reaches=tuple(bit.name.lower() for bit in Reach if bit & group.reach and bit.name),
            propagated=group.propagated,
            spread=tuple(views[event] for event in group.spread),
            occurrences=group.occurrences,
            history=tuple(history),
        )

    def _view(self, evidence: Evidence, views: Mapping[int, TensorView]) -> TensorView:
        """The origin's tensor; for a write under the name of the write, in the execution in which it ran."""
        view, site = views[evidence.event], evidence.site
        if not evidence.written:
            return view
        executions = self.origins.values.executions
        row = evidence.execution
        return replace(
            view,
            tensor=f"{site.name}:0",
            op_name=site.name,
            op_type=site.op_type,
            site=site.site,
            slot=0,
            function=function_name(self.program, site),
            execution=int(executions.number[row]),
            step=int(executions.step[row]),
            iteration=None,
        )

    def _case(
        self, evidence: Evidence, view: TensorView, inputs: tuple[InputView, ...], history: list[History]
    ) -> Case:
        site = evidence.site
        variables = [*site.reads, *site.writes, *self._fed_variables(evidence)]
        return Case(
            view=view,
            op_type=site.op_type,
            inputs=inputs,
            gradient=bool(self.origins.roles.gradient_site[site.site]),
            given=site.argument != NONE or site.op_type == INPUT,
            read=bool(site.reads) or site.op_type in ("ReadVariableOp", "ResourceGather", "ResourceGatherNd"),
            variable=next((self.program.variables[k].name for k in variables if k in self.program.variables), ""),
            written=evidence.written,
            feeds_variable=bool(evidence.feeds),
            growth=find_growth(inputs, history[1:]),
        )

    def _fed_variables(self, evidence: Evidence) -> list[int]:
        return [variable for site in evidence.feeds for variable in self.program.sites[site].writes]


def _events_of(groups: list[Group], evidence: list[Evidence]) -> list[int]:
    events = np.array(
        [
            *(event for group in groups for event in group.spread),
            *(event for each in evidence for event in (each.event, *each.past)),
            *(event for each in evidence for given in each.inputs for event in (given.event, *given.past)),
        ],
        dtype=np.int64,
    )
    found: list[int] = np.unique(events[events != NONE]).tolist()
    return found
