"""From origins to findings: gathers what is known of each, and has its cause judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from tensordbg.analysis.causes.case import Case, Growth, Jump, unravelled
from tensordbg.analysis.causes.disguises import ADVISED
from tensordbg.analysis.causes.division import BY_ZERO
from tensordbg.analysis.causes.factors import SCALED_AWAY
from tensordbg.analysis.causes.overflow import DIVERGES, HALF_OVERFLOWS, OVERFLOWS
from tensordbg.analysis.causes.shrinking import SHRINKS
from tensordbg.analysis.causes.table import judge
from tensordbg.analysis.causes.updates import overflowing_gradient
from tensordbg.analysis.finding import (
    NOTHING_READ_IT,
    ForwardOperation,
    History,
    InputView,
    LoopIteration,
    Origin,
    TensorView,
)
from tensordbg.analysis.flow.call_chain import telling_stack
from tensordbg.analysis.flow.loop_iterations import iterations_around
from tensordbg.analysis.flow.reach import Reach
from tensordbg.analysis.flow.tables import is_table
from tensordbg.analysis.origins.allowed import allowing_rule
from tensordbg.analysis.origins.computed import computed_events
from tensordbg.analysis.origins.divisors import Divisors
from tensordbg.analysis.origins.dropping import Dropping
from tensordbg.analysis.origins.evidence import Evidence, Gatherer
from tensordbg.analysis.origins.find import Origins
from tensordbg.analysis.origins.forward_operations import ForwardOperations
from tensordbg.analysis.origins.gradient_pairs import find_forward_origins
from tensordbg.analysis.origins.groups import Group, group_origins
from tensordbg.analysis.origins.growth import EagerIterations, find_growth
from tensordbg.analysis.origins.jumps import Jumps, Root
from tensordbg.analysis.origins.loss_scaling import how_caught, may_be_caught
from tensordbg.analysis.origins.makers import Makers
from tensordbg.analysis.origins.raised_rates import RaisedRates
from tensordbg.analysis.origins.spread_counts import count_spread
from tensordbg.analysis.origins.tell_decided import TellDecided
from tensordbg.analysis.origins.troubles import REACHES, Trouble, join_gradients, join_grown, join_lines
from tensordbg.analysis.origins.vanished import Vanished
from tensordbg.analysis.program.before_step import came_before
from tensordbg.analysis.program.details import Details, function_name
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of, reads_variables
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait
from tensordbg.packages import KERAS, is_part_of
from tensordbg.trace.program.optimizers import OptimizerSettings


def report_origins(origins: Origins, details: Details, optimizers: Sequence[OptimizerSettings] = ()) -> list[Trouble]:
    """One entry for each trouble, in the order of the program: see `troubles.py`."""
    groups = group_origins(origins)
    gatherer = Gatherer(origins.values, origins.variables, origins.graph)
    gathered = [gatherer.gather(group.node) for group in groups]
    evidence = _with_likely(origins, gathered)
    program, gradient_site = origins.values.program, origins.roles.gradient_site
    operations = ForwardOperations(origins.values, gradient_site)
    known = [operations.of(each.site, int(origins.graph.invocation[group.node]))
             for group, each in zip(groups, evidence, strict=True)]  # fmt: skip
    forward_of = find_forward_origins(
        evidence, gradient_site, known, [operations.type_of(each.site) for each in evidence]
    )
    views = details.views(_events_of(evidence))
    locations = Locations(program)
    jumps = Jumps(origins.values, gatherer.ancestry, details, locations, gradient_site)
    makers = Makers(origins.values, gatherer.ancestry, details)
    dropping = Dropping(origins.values, origins.graph, gradient_site)
    turns = EagerIterations(origins.values, gradient_site)
    reporter = _Reporter(
        origins, views, locations, jumps, makers, TellDecided(origins, details, locations), turns,
        Vanished(origins.values, dropping, details),
        Divisors(operations, gatherer.ancestry, details, locations, turns.between),
        RaisedRates(origins.values, details, optimizers), details.cut, details.in_part,
    )  # fmt: skip
    devices = _devices_of(groups, details)
    troubles = []
    for k, group in enumerate(groups):
        forward = reporter.forward(known[k], evidence[forward_of[k]] if k in forward_of else None)
        origin = replace(reporter.finding(group, evidence[k]), gradient_of=forward, devices=devices[k])
        trains = bool(group.reach & (Reach.LOSS | Reach.GRADIENT | Reach.TRAINED))
        layer, grown = reporter.layer_of_line(evidence[k], origin), reporter.grown(evidence[k], origin)
        troubles.append(Trouble(origin, (group.node,), trains, layer, grown))
    troubles = join_lines(join_grown(join_gradients(troubles, forward_of, dropping.of)))
    return _with_spread(troubles, origins, details)


def _devices_of(groups: Sequence[Group], details: Details) -> list[tuple[str, ...]]:
    """Of each group the devices, where they are several: eagerly all replicas are at one line, and one operation."""
    views = details.views({event for group in groups if group.occurrences > 1 for event in group.events} - {NONE})
    found = [dict.fromkeys(views[event].device for event in group.events if event in views) for group in groups]
    return [tuple(each) if len(each) > 1 else () for each in found]


def _with_spread(troubles: Sequence[Trouble], origins: Origins, details: Details) -> list[Trouble]:
    """Say of each how many tensors were made from all that it stands for, and which came first."""
    descents = count_spread(origins.graph, [each.nodes for each in troubles], origins.read_at)
    views = details.views({event for descent in descents for event in descent.first} - {NONE})
    locations = Locations(origins.values.program)
    return [
        replace(
            each,
            origin=replace(
                each.origin,
                propagated=descent.events,
                spread=tuple(views[event] for event in descent.first),
                read_at=locations.own(locations.stack(descent.read_at)),
            ),
        )
        for each, descent in zip(troubles, descents, strict=True)
    ]


def _with_likely(origins: Origins, gathered: Sequence[Evidence]) -> list[Evidence]:
    """Adds what a value from outside was likely made of in Python, if bad values had been there before."""
    outside = [_is_from_outside(each.site) or (reads_variables(each.site) and not each.written) for each in gathered]
    computed = set(computed_events(origins.values, origins.graph).tolist()) if any(outside) else set()
    return [
        replace(each, likely=origins.returns.likely(each.event, computed)) if came else each
        for each, came in zip(gathered, outside, strict=True)
    ]


def _events_of(evidence: Sequence[Evidence]) -> set[int]:
    events: set[int] = set()
    for each in evidence:
        events.update((each.event, each.likely, *each.past))
        for given in each.inputs:
            events.update((given.event, *given.past, *given.iterations))
    return events - {NONE}


@dataclass(frozen=True)
class _Reporter:
    """Turns evidence into findings."""

    origins: Origins
    views: Mapping[int, TensorView]
    """Of every event that the evidence names."""
    locations: Locations
    jumps: Jumps
    makers: Makers
    decided: TellDecided
    turns: EagerIterations
    vanished: Vanished
    divisors: Divisors
    raised: RaisedRates
    cut: bool
    """Whether the trace holds only the last events."""
    in_part: bool
    """Whether only the tensors that matter most were recorded of some steps."""

    def finding(self, group: Group, evidence: Evidence) -> Origin:
        view = self._view(evidence)
        inputs = tuple(
            InputView(each.tensor, each.op_type, self.views.get(each.event), each.made_by) for each in evidence.inputs
        )
        history = (
            History(view.tensor, self._all(evidence.past)),
            *(History(each.tensor, self._all(each.past)) for each in evidence.inputs),
        )
        stack = self.locations.stack(telling_stack(self.origins.values, evidence.event, evidence.site))
        case = self._case(evidence, view, inputs)
        case = replace(case, growth=self._growth(evidence, inputs, history))
        verdict = judge(case)
        if verdict.cause in ADVISED:
            verdict = judge(self._with_makers(case, evidence))
        if verdict.cause in {*OVERFLOWS, DIVERGES, BY_ZERO}:
            case = replace(case, shrunk=self.divisors.behind(evidence, case.growth))
            verdict = judge(case) if case.shrunk is not None else verdict
        if verdict.cause in {*OVERFLOWS, DIVERGES}:
            grew = self._that_grew(case, evidence)
            case = replace(case, jump=self._jump(case, grew), data=self.jumps.data(grew))
            variables = frozenset(number for _, number in self.jumps.variables(grew))
            verdict = judge(replace(case, raised=self.raised.before(case, variables)))
        reaches = tuple(name for name in REACHES if Reach[name.upper()] & group.reach)
        zeros = None if reaches or verdict.cause != HALF_OVERFLOWS else self.vanished.behind(group.node, case)
        if zeros is not None:
            reaches, verdict = ("zeros",), replace(verdict, explanation=verdict.explanation + self._words(zeros))
        return Origin(
            view=view,
            first_bad_index=case.first_bad_index,
            inputs=inputs,
            stack=stack,
            source=self.locations.own(stack),
            verdict=verdict,
            reaches=reaches,
            propagated=0,
            spread=(),
            occurrences=group.occurrences,
            loops=self._loops(evidence),
            ended=self.decided.loops(group.node),
            decided=self.decided.others(group.node),
            caught=self._caught(group, verdict.cause, view.dtype),
            allowed=self._rule(group, evidence),
            # A pipeline has no steps by which to tell before from after.
            history=history if view.execution != NONE else (),
        )

    def _growth(self, evidence: Evidence, inputs: Sequence[InputView], history: Sequence[History]) -> Growth | None:
        growth = find_growth(inputs, history[1:], self.turns.between)
        if growth is None:
            loop = [History(each.tensor, self._all(each.iterations)) for each in evidence.inputs]
            growth = find_growth(inputs, loop, self.turns.between)
        if growth is None or growth.unit != "step":
            return growth
        event = next(each.event for each in evidence.inputs if each.tensor == growth.tensor)
        return replace(growth, given=self.jumps.came_in(event))

    def _jump(self, case: Case, grew: Sequence[int]) -> Jump | None:
        in_loop = case.growth is not None and case.growth.unit != "step"
        return (self.jumps.of_loop(grew) if in_loop else None) or self.jumps.behind(grew)

    def _loops(self, evidence: Evidence) -> tuple[LoopIteration, ...]:
        found = [] if evidence.written else iterations_around(self.origins.values, evidence.event)
        sites = self.origins.values.program.sites
        lines = [self.locations.own(self.locations.stack(sites[number].stack)) for number, _ in found]
        loops = tuple(LoopIteration(number, line) for (_, number), line in zip(found, lines, strict=True))
        return loops if len(loops) > 1 else ()

    def _words(self, zeros: TensorView) -> str:
        """A sentence on what became 0 since it was divided by an overflow."""
        site = self.origins.values.program.sites[int(self.origins.values.events.site[zeros.event])]
        source = self.locations.own(self.locations.stack(site.stack))
        place = f" ({source.place})" if source is not None else ""
        counts = "" if zeros.health is None else f"{zeros.health.zero:,} of the {zeros.health.size:,} "
        return f" Divided by it, {counts}elements of {zeros.tensor}{place} became 0."

    def _caught(self, group: Group, cause: str, dtype: str) -> str:
        if group.caught and may_be_caught(cause, dtype):
            return how_caught(self.origins.values)
        return NOTHING_READ_IT if group.unread else ""

    def _variable_name(self, number: int) -> str:
        variable = self.origins.values.program.variables.get(number)
        return "" if variable is None else variable.name or "variable"

    def _with_makers(self, case: Case, evidence: Evidence) -> Case:
        """The case with how its operands were made, on which the fix depends."""
        events = [each.event for each in evidence.inputs]
        divisor = case.operand(Role.FORWARD_DIVISOR)  # the output of the forward operation
        after = events[divisor] if divisor is not None and divisor < len(events) else evidence.event
        added = self.makers.added_after(after) if after != NONE and not case.written else math.nan
        return replace(case, behind=tuple(map(self.makers.behind, events)), added_after=added)

    def _that_grew(self, case: Case, evidence: Evidence) -> list[int]:
        """The numbers that went into an operation and had grown; of an optimizer those of the step that did it."""
        squared = overflowing_gradient(case)
        return [each.event for each in evidence.inputs] if squared is None else [squared.event]

    def grown(self, evidence: Evidence, origin: Origin) -> frozenset[Root]:
        """By what overflows of the same numbers are known for each other."""
        events = [each.event for each in evidence.inputs]
        if origin.cause in (DIVERGES, SHRINKS):
            return self.jumps.variables(events)
        return self.jumps.root(events) if origin.cause in {*OVERFLOWS, SCALED_AWAY} else frozenset()

    def _last_finite(self, evidence: Evidence, view: TensorView) -> TensorView | None:
        """The tensor when it was recorded last, if it was finite then, and steps were left out since."""
        last = self.views[evidence.past[-1]] if evidence.past else None
        if last is None or last.health is None or last.health.non_finite or view.step - last.step <= 1:
            return None
        return last

    def _mask(self, event: int) -> str:
        """The infinities that the program wrote down with which a NaN begins: their name and line."""
        mask = self.origins.masks.get(event, NONE)
        if mask == NONE:
            return ""
        values = self.origins.values
        site = values.program.sites[int(values.ports.site[values.port[mask]])]
        source = self.locations.own(self.locations.stack(site.stack))
        return site.name + (f", line {source.line}" if source is not None else "")

    def _rule(self, group: Group, evidence: Evidence) -> str:
        if not group.allowed:
            return ""
        program, graph = self.origins.values.program, self.origins.graph
        site = program.sites[int(self.origins.values.ports.site[graph.port[group.node]])]
        return str(allowing_rule(program, site, bool(self.origins.values.events.nan[evidence.event])) or "")

    def forward(self, known: Site | None, pair: Evidence | None) -> ForwardOperation | None:
        """The operation that an origin is the gradient of; `pair` is the forward origin from the same bad number."""
        if pair is not None:
            site, slot = pair.site, self.views[pair.event].slot
        elif known is not None:
            site, slot = known, 0
        else:
            return None
        source = self.locations.own(self.locations.stack(site.stack))
        return ForwardOperation(f"{site.name}:{slot}", source, pair is not None)

    def layer_of_line(self, evidence: Evidence, origin: Origin) -> str:
        """The layer of an operation whose line runs a whole model, which all of its layers have in common."""
        inside = list(takewhile(lambda line: not line.user, reversed(origin.stack)))
        return evidence.site.layer if any(is_part_of(line.file, KERAS) for line in inside) else ""

    def _all(self, events: Sequence[int]) -> tuple[TensorView, ...]:
        return tuple(self.views[event] for event in events)

    def _view(self, evidence: Evidence) -> TensorView:
        """The origin's tensor; for a write under the name of the write, in the execution in which it ran."""
        view, site = self.views[evidence.event], evidence.site
        if not evidence.written:
            return view
        executions, row = self.origins.values.executions, evidence.execution
        return replace(
            view,
            tensor=f"{site.name}:0",
            op_name=site.name,
            op_type=site.op_type,
            site=site.site,
            slot=0,
            function=function_name(self.origins.values.program, site),
            execution=int(executions.number[row]),
            step=int(executions.step[row]),
            iteration=None,
        )

    def _forward(self, site: Site) -> tuple[Kind | None, str]:
        """The kind and the type of the operation whose gradient one is a part of."""
        forward = self.origins.values.program.sites.get(site.gradient_of)
        return (None, "") if forward is None else (operation_of(forward).kind, forward.op_type)

    def _is_own_line(self, site: Site) -> bool:
        """Whether an operation of a backward pass is called by the program, as in a hook, and not by the framework."""
        stack = self.locations.stack(site.stack) if site.gradient_of == NONE else ()
        return bool(stack) and stack[-1].user and bool(self.origins.roles.gradient_site[site.site])

    def _case(self, evidence: Evidence, view: TensorView, inputs: tuple[InputView, ...]) -> Case:
        site = evidence.site
        kind, forward_type = self._forward(site)
        return Case(
            view=view,
            op_type=site.op_type,
            inputs=inputs,
            framework=site.framework,
            gradient=bool(self.origins.roles.gradient_site[site.site]),
            forward=kind,
            forward_type=forward_type,
            own_line=self._is_own_line(site),
            given=_is_from_outside(site),
            came=came_before(site),
            read=reads_variables(site),
            variable=next(iter(evidence.variables), ""),
            written=evidence.written,
            feeds_variable=evidence.feeds_variable,
            feeds_trained=evidence.feeds_trained,
            table=is_table(self.origins.values, evidence.event),
            first_bad_index=unravelled(view.health, view.shape),
            positions=tuple(each.position for each in evidence.inputs),
            unwritten=tuple(self._variable_name(each.unwritten) for each in evidence.inputs),
            pasts=tuple(self._all(each.past) for each in evidence.inputs),
            lost=self.cut and evidence.incomplete,
            left_out=self.in_part and evidence.left_out,
            before=self.views.get(evidence.likely),
            last_finite=self._last_finite(evidence, view),
            mask=self._mask(evidence.event),
        )


def _is_from_outside(site: Site) -> bool:
    """Whether a value came in from outside: an argument, a batch, what Python put out."""
    return site.argument != NONE or operation_of(site).has(Trait.FROM_OUTSIDE, Trait.FROM_PIPELINE)
