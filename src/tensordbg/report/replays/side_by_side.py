"""Two replays of one step beside each other: as it was captured, and changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.tensors.divergence import Divergence
from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.capture.replayed import Replayed
from tensordbg.enumeration import first_few
from tensordbg.report.listing import BAD, health_cells, place_text, plain_table, type_text
from tensordbg.report.numbers import ABSENT, count, short

_SAID = {Outcome.SAME: "wrong", Outcome.ALIKE: "wrong", Outcome.OTHER: "wrong in another way", Outcome.CLEAN: "clean"}
_MOST = 3
"""So many tensors are shown where two replays part."""


def side_by_side_table(before: Replayed, after: Replayed, change: str) -> Table:
    """The last runs of two replays.

    Args:
        before: Of the step as it was captured.
        after: Of the changed step.
        change: What was changed, in a few words.
    """
    table = plain_table()
    table.add_column("")
    table.add_column("as captured", overflow="fold")
    table.add_column(change, overflow="fold")
    rows: dict[str, Callable[[Replayed], str]] = {
        "step": lambda replayed: _SAID[replayed.runs[-1].outcome],
        "loss": lambda replayed: _loss(replayed.runs[-1].readings),
        "gradients": lambda replayed: _gradients(replayed.runs[-1].readings),
        "weights after it": _weights,
    }
    for name, of in rows.items():
        cells = [of(before), of(after)]
        if cells != [ABSENT, ABSENT]:
            table.add_row(name, *cells)
    return table


def divergence_text(divergence: Divergence) -> RenderableType:
    """From which tensors on the two differ."""
    if not divergence.first:
        return Text(
            f"none of the {count(divergence.compared)} tensors that both computed differs by more than rounding"
        )
    table = plain_table()
    for name in ("they part at", "", "type", "min", "max", "nan", "inf", "line"):
        table.add_column(name, overflow="fold")
    for pair in divergence.first[:_MOST]:
        table.add_row(pair.before.tensor, "as captured", *_cells(pair.before))
        table.add_row("", "changed", *_cells(pair.after))
    said = f"{count(divergence.apart)} of {count(divergence.compared)} tensors differ by more than rounding"
    return Group(table, Text(said, style="dim"))


def _cells(row: ListedTensor) -> list[Text]:
    low, _, high, _, _, nan, inf = health_cells(row)
    bad = row.health is not None and bool(row.health.non_finite)
    place = place_text(row.source) if row.source else ABSENT
    return [Text(cell, style=BAD if bad else "") for cell in (type_text(row), low, high, nan, inf, place)]


def _loss(readings: Sequence[Reading]) -> str:
    losses = [each for each in readings if each.role == "loss"]
    return ", ".join(_value(each) for each in losses) or ABSENT


def _value(reading: Reading) -> str:
    if not reading.bad:
        return short(reading.value if reading.value is not None else reading.norm)
    counts = {"NaN": reading.nan, "+inf": reading.pos_inf, "-inf": reading.neg_inf}
    return ", ".join(f"{count(number)} {name}" for name, number in counts.items() if number)


def _gradients(readings: Sequence[Reading]) -> str:
    gradients = [each for each in readings if each.role == "gradient"]
    if not gradients:
        return ABSENT
    bad = sum(each.bad for each in gradients)
    if bad:
        return f"{count(bad)} of {count(len(gradients))} not finite"
    norms = [each.norm for each in gradients if each.norm is not None]
    return f"norm {short(sum(norm * norm for norm in norms) ** 0.5)}"


def _weights(replayed: Replayed) -> str:
    if replayed.ruined:
        return f"not finite: {first_few(replayed.ruined, 3)}"
    return ABSENT if replayed.moved is None else f"moved by {short(replayed.moved)}"
