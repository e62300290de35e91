"""One origin on the terminal: what, where, its inputs, the cause, the fix, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.failures.lead import iterations_of
from tensordbg.analysis.finding import Arrival, Origin, SourceLine, TensorView
from tensordbg.analysis.view.findings.outcomes import decided_text, ended_text
from tensordbg.enumeration import first_few
from tensordbg.model import Health
from tensordbg.report.findings.origin_tables import health_table, past_tables
from tensordbg.report.listing import BAD
from tensordbg.report.numbers import count

_VERBS = {
    "bad_before_step": "already held",
    "bad_input_data": "came in with",
    "bad_variable": "held",
    "between_recorded_tensors": "was first seen with",
    "from_another_process": "received",
    "non_finite_constant": "holds",
    "returned_from_python": "came back with",
    "source_not_seen": "handed on",
}
"""What operations do that did not produce what they put out, by the cause."""

TAKEN = "where its gradient is taken"
"""What is said of the line that differentiates."""

_ALSO = 3
"""So many other origins of the same trouble are named."""

_ARRIVALS = 4
"""So many of the processes that it came to are listed."""


def origin_text(origin: Origin) -> Group:
    """All that is said of the first origin."""
    parts: list[RenderableType] = [headline(origin), _where(origin)]
    if origin.place is not None:
        parts += [Text(), source_table(origin.place)]
    if forward_source(origin) is not None and origin.source is not None:
        taken = f"{origin.source.file}:{origin.source.line}, {TAKEN}"
        parts += [Text(), Text(taken, style="dim"), Text(), source_table(origin.source)]
    parts += [Text(), health_table(origin), Text(), _reasons(origin)]
    past = past_tables(origin)
    if past is not None:
        parts += [Text(), past]
    return Group(*parts)


def forward_source(origin: Origin) -> SourceLine | None:
    """The line of the forward operation of a gradient, where that is another line; it is told first."""
    forward, own = origin.gradient_of, origin.source
    if forward is None or forward.source is None:
        return None
    same = own is not None and (own.file, own.line) == (forward.source.file, forward.source.line)
    return None if same else forward.source


def origin_line(origin: Origin) -> Text:
    """One line for each further origin."""
    view = origin.view
    times = f", {count(origin.occurrences)} times" if origin.occurrences > 1 else ""
    place = f" ({origin.place.place})" if origin.place else ""
    paired = f", the gradient of {origin.gradient_of.tensor}" if origin.gradient_of else ""
    caught = f"; {origin.caught}" if origin.caught else ""
    allowed = f"; allowed, by the rule {origin.allowed}" if origin.allowed else ""
    said = f" {moment_of(view)}{place}: {origin.verdict.cause}{paired}{times}{caught}{allowed}"
    return Text.assemble(f"  {origin.process}: " if origin.process else "  ", (view.tensor, "bold"), said)


def headline(origin: Origin) -> Text:
    """Which operation produced what."""
    view = origin.view
    function = origin.function
    # A session's run is named with what it fetches: `Session.run(loss)`.
    called = function if function.endswith(")") else f"{function}()"
    where = f" in {called}" if function and not function.startswith("<") else ""
    where += f" of {origin.process}" if origin.process else ""
    verb = _VERBS.get(origin.verdict.cause, "produced")
    return Text.assemble((view.tensor, BAD), (f"{where} {verb} the first {_what(view.health)}", "bold"))


def moment_of(view: TensorView) -> str:
    """`in step 3, iteration 2`."""
    turn = f", iteration {view.iteration}" if view.iteration is not None else ""
    return (f"in step {view.step}" if view.step >= 0 else "outside any step") + turn


def moment_of_origin(origin: Origin) -> str:
    """`in step 3, iteration 2 of the loop at line 5, iteration 7 of that at line 8` in loops of one another."""
    if not origin.loops:
        return moment_of(origin.view)
    return ", ".join([moment_of(replace(origin.view, iteration=None)), *iterations_of(origin.loops)])


def _what(health: Health | None) -> str:
    if health is None:
        return "value that is not finite"
    found = [(health.nan, "NaN"), (health.neg_inf, "-inf"), (health.pos_inf, "+inf")]
    names = " and ".join(name for number, name in found if number)
    if health.size == 1:
        return names
    return f"{names}: {count(health.non_finite)} of {count(health.size)} elements"


def _where(origin: Origin) -> Text:
    place = f"{origin.place.file}:{origin.place.line}" if origin.place is not None else ""
    return Text(", ".join(filter(None, [place, *circumstances_of(origin)])), style="dim")


def circumstances_of(origin: Origin) -> list[str]:
    """When it was, which operation and type, the first bad element, and the device; what is not known is left out."""
    view = origin.view
    shape = "" if view.shape is None else str(list(view.shape))
    device = view.device.rpartition("/device:")[2]
    first = f"first at {list(origin.first_bad_index)}" if origin.first_bad_index else ""
    words = [moment_of_origin(origin), f"{view.op_type} {view.dtype}{shape}", first, f"on {device}" if device else ""]
    return list(filter(None, words))


def source_table(line: SourceLine) -> Table:
    """The line and those around it, with a mark."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for number, text in lines_around(line):
        here = number == line.line
        table.add_row(
            Text(" >" if here else "", style=BAD),
            Text(str(number), style="bold" if here else "dim", justify="right"),
            Text(text, style="bold" if here else "dim", no_wrap=True, overflow="ellipsis"),
        )
    return table


def lines_around(line: SourceLine) -> list[tuple[int, str]]:
    """The line and those around it, with their numbers."""
    texts = [*line.before, " " * line.indent + line.text, *line.after]
    return [(number, text.rstrip()) for number, text in enumerate(texts, line.line - len(line.before))]


def _reasons(origin: Origin) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("cause", Text.assemble((origin.verdict.cause, "bold"), ": ", origin.verdict.explanation))
    if origin.gradient_of is not None:
        place = f" ({origin.gradient_of.source.place})" if origin.gradient_of.source else ""
        table.add_row("of", f"the gradient of {origin.gradient_of.tensor}{place}{dropped_of(origin)}")
    table.add_row("fix", origin.verdict.suggestion)
    table.add_row("spread", spread_of(origin))
    for head, told in outcomes_of(origin).items():
        for text in told[:_ARRIVALS]:
            table.add_row(head, text)
        if len(told) > _ARRIVALS:
            table.add_row("", f"and {count(len(told) - _ARRIVALS)} more; --json tells all")
    for arrival in origin.arrivals[:_ARRIVALS]:
        table.add_row("then", arrival_of(arrival))
    if len(origin.arrivals) > _ARRIVALS:
        table.add_row("", f"came to {count(len(origin.arrivals) - _ARRIVALS)} more processes; --json tells all")
    if origin.occurrences > 1:
        replicas = f", on {len(origin.devices)} replicas" if origin.devices else ""
        table.add_row("again", f"happened {count(origin.occurrences)} times in all{replicas}")
    if also := also_of(origin):
        table.add_row("also", also)
    return table


def dropped_of(origin: Origin) -> str:
    """That the forward operation's own bad value was dropped, where it had one."""
    forward = origin.gradient_of
    return ", whose own bad value was dropped" if forward is not None and forward.is_origin else ""


def also_of(origin: Origin) -> str:
    """The other origins of the same trouble; empty where there is none."""
    words = {"gradient": ", its gradient", "forward": ", its forward operation", "alike": ""}
    told = [
        f"{each.tensor}{f' ({each.source.place})' if each.source else ''}{words[each.relation]}"
        for each in origin.also
        if each.relation != "forward"  # said already of what it is the gradient
    ]
    return first_few(told, _ALSO)


def outcomes_of(origin: Origin) -> dict[str, list[str]]:
    """Which loops it ended, and what else it decided."""
    return {"ended": list(map(ended_text, origin.ended)), "decided": list(map(decided_text, origin.decided))}


def arrival_of(arrival: Arrival) -> str:
    """How it came into another process, and what it did there."""
    view = arrival.view
    place = f" ({arrival.source.place})" if arrival.source else ""
    did = f"reached {_reached(arrival.reaches)}" if arrival.reaches else "died out"
    into = f"{arrival.process} and {count(len(arrival.alike))} more" if arrival.alike else arrival.process
    return (
        f"came from {arrival.sender} to {into} {moment_of(view)} by the {arrival.kind} {view.tensor}{place}"
        f"; there it {did}, {_others(arrival.propagated)}"
    )


def _reached(reaches: Sequence[str]) -> str:
    words = {
        "loss": "the loss",
        "gradient": "gradients",
        "variable": "variables",
        "output": "the program's results",
        "loop": "the end of a loop",
        "branch": "the choice of a branch",
        "choice": "the choice of elements",
        "index": "the choice of an index",
        "comparison": "the result of a comparison",
        "zeros": "quotients, which became 0",
    }
    return ", ".join(words[name] for name in reaches)


def _others(number: int) -> str:
    return f"{_more(number)} not finite" if number else "no other tensor is not finite"


def _more(number: int) -> str:
    return f"{count(number)} more tensor{'s' * (number != 1)}"


def spread_of(origin: Origin) -> str:
    """The end of the spread, and how many tensors it took along."""
    if not origin.reaches:
        how_far = f"after {_more(origin.propagated)}" if origin.propagated else "at once"
        return f"died out {how_far}; it reached nothing that matters"
    reached = _reached(origin.reaches)
    if origin.read_at is not None and "output" in origin.reaches:
        reached += f" (read at {origin.read_at.place})"
    names = ", ".join(dict.fromkeys(view.tensor for view in origin.spread))
    through = f": {names}{' ...' if origin.propagated > len(origin.spread) else ''}" if names else ""
    return f"reached {reached}; {_others(origin.propagated)}{through}"
