"""One origin on the terminal: what, where, its inputs, the cause, the mend, and what became of it."""

from __future__ import annotations

from pathlib import PurePath

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.finding import Origin, SourceLine, TensorView
from tensordbg.model import Health
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.numbers import ABSENT, count, count_or_blank, short

_PAST = 5
"""So many earlier steps are shown."""

_COUNTS = (("zeros", "zero"), ("negative", "negative"), ("-inf", "neg_inf"), ("+inf", "pos_inf"), ("NaN", "nan"))


def origin_text(origin: Origin) -> Group:
    """All that is said of the first origin."""
    parts: list[RenderableType] = [headline(origin), _where(origin)]
    if origin.source is not None:
        parts += [Text(), _source(origin.source)]
    parts += [Text(), _healths(origin), Text(), _reasons(origin)]
    past = _past(origin)
    if past is not None:
        parts += [Text(), past]
    return Group(*parts)


def origin_line(origin: Origin) -> Text:
    """One line for each further origin."""
    view = origin.view
    times = f", {count(origin.occurrences)} times" if origin.occurrences > 1 else ""
    place = f" ({place_of(origin.source)})" if origin.source else ""
    return Text.assemble("  ", (view.tensor, "bold"), f" {moment_of(view)}{place}: {origin.verdict.cause}{times}")


def headline(origin: Origin) -> Text:
    """Which operation produced what."""
    view = origin.view
    where = f" in {view.function}()" if view.function and not view.function.startswith("<") else ""
    verb = "came in with" if origin.verdict.cause in ("bad_input_data", "non_finite_constant") else "produced"
    verb = "held" if origin.verdict.cause == "bad_variable" else verb
    return Text.assemble((view.tensor, BAD), (f"{where} {verb} the first {_what(view.health)}", "bold"))


def place_of(line: SourceLine) -> str:
    """File and line, without the folder."""
    return f"{PurePath(line.file).name}:{line.line}"


def moment_of(view: TensorView) -> str:
    """`in step 3, turn 2`."""
    turn = f", turn {view.iteration}" if view.iteration is not None else ""
    return (f"in step {view.step}" if view.step >= 0 else "outside of any step") + turn


def _what(health: Health | None) -> str:
    if health is None:
        return "non-finite value"
    found = [(health.nan, "NaN"), (health.neg_inf, "-inf"), (health.pos_inf, "+inf")]
    names = " and ".join(name for number, name in found if number)
    return f"{names}: {count(health.non_finite)} of {count(health.size)} element{'s' * (health.size != 1)}"


def _where(origin: Origin) -> Text:
    view = origin.view
    shape = "" if view.shape is None else str(list(view.shape))
    words = [
        moment_of(view),
        f"{view.op_type} {view.dtype}{shape}",
        view.device.removeprefix("/job:localhost/replica:0/task:0"),
    ]
    if origin.source is not None:
        words.insert(0, f"{origin.source.file}:{origin.source.line}")
    if origin.first_bad_index:
        words.append(f"first at {list(origin.first_bad_index)}")
    return Text("  ".join(filter(None, words)), style="dim")


def _source(line: SourceLine) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    first = line.line - len(line.before)
    own = next((text for text in [line.text] if text), "")
    indent = _indent(line)
    for k, text in enumerate([*line.before, indent + own, *line.after]):
        here = first + k == line.line
        table.add_row(
            Text(" >" if here else "", style=BAD),
            Text(str(first + k), style="bold" if here else "dim", justify="right"),
            Text(text.rstrip(), style="bold" if here else "dim", no_wrap=True, overflow="ellipsis"),
        )
    return table


def _indent(line: SourceLine) -> str:
    """The blanks before the line itself, whose text comes without them: as its neighbours have them."""
    near = [text for text in (*reversed(line.before), *line.after) if text.strip()]
    blanks = next((text[: len(text) - len(text.lstrip())] for text in near), "")
    return blanks


def _healths(origin: Origin) -> Table:
    table = plain_table()
    table.add_column("tensor", overflow="fold", min_width=10)
    table.add_column("type", overflow="fold")
    for name in ("min", "mean", "max", "std"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = [(Text(origin.view.tensor, style=BAD), origin.view)]
    rows += [(Text(f"< {given.tensor}"), given.recorded) for given in origin.inputs]
    shown = [health for _, view in rows if view is not None and (health := view.health) is not None]
    names = [(name, field) for name, field in _COUNTS if any(getattr(health, field) for health in shown)]
    for name, _ in names:
        table.add_column(name, justify="right", no_wrap=True)
    for label, view in rows:
        if view is None or view.health is None:
            table.add_row(label, "not recorded", *[ABSENT] * 4, *[""] * len(names))
            continue
        health = view.health
        values = [short(value) for value in (health.min, health.mean, health.max, health.std)]
        counts = [count_or_blank(getattr(health, field)) for _, field in names]
        shape = "" if view.shape is None else str(list(view.shape))
        table.add_row(label, f"{view.dtype}{shape}", *values, *counts)
    return table


def _reasons(origin: Origin) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("cause", f"{origin.verdict.cause}: {origin.verdict.explanation}")
    table.add_row("mend", origin.verdict.suggestion)
    table.add_row("spread", _spread(origin))
    if origin.occurrences > 1:
        table.add_row("again", f"an origin {count(origin.occurrences)} times in all")
    return table


def _spread(origin: Origin) -> str:
    if not origin.reaches:
        return f"died out after {count(origin.propagated)} more tensors; it reached nothing that matters"
    reached = ", ".join(f"the {name}" for name in origin.reaches)
    names = ", ".join(view.tensor for view in origin.spread)
    through = f": {names}{' ...' if origin.propagated > len(origin.spread) else ''}" if names else ""
    return f"reached {reached}; {count(origin.propagated)} more tensors are not finite{through}"


def _past(origin: Origin) -> Group | None:
    """How the tensor and its inputs looked before; of an input only what is worth a table."""
    parts: list[RenderableType] = []
    for history in origin.history[:3]:
        if not history.past:
            continue
        past = history.past[-_PAST:]
        turns = all(view.execution == origin.view.execution for view in past)
        table = plain_table()
        for name in ("turn" if turns else "step", "min", "mean", "max", "zeros", "not finite"):
            table.add_column(name, justify="right", no_wrap=True)
        for view in past:
            health = view.health or Health(size=0)
            table.add_row(
                str(view.iteration if turns else view.step),
                *(short(value) for value in (health.min, health.mean, health.max)),
                count_or_blank(health.zero),
                count_or_blank(health.non_finite),
            )
        parts += [Text(f"{history.tensor} before", style="bold"), Padding(table, (0, 0, 0, 2))]
    return Group(*parts) if parts else None
