"""The text of `tdbg diff`: one screen with A on the left and B on the right, and what makes them part."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.diff.result import ComparedTensor, Comparison, FirstDifference, Measured, ParameterPair
from tensordbg.report.error_chart import error_chart
from tensordbg.report.listing import plain_table
from tensordbg.report.numbers import ABSENT, amount, count, short
from tensordbg.report.terminal import PlainConsole

WIDTH = 100
"""Plain text is not set wider than this."""

_SHOWN = 8
"""So many rows of what is secondary are shown."""


def diff_text(result: Comparison) -> RenderableType:
    """Tells whether two runs agree, and where they part first."""
    parts: list[RenderableType] = [Text(headline(result), style="bold")]
    if result.first is not None:
        parts += [Text(), *_difference(result.first)]
    if result.also:
        parts += [Text(), Text("also, from equal values:", style="bold"), *map(_line, result.also[:_SHOWN])]
    chart = error_chart(result)
    parts += [Text(), *chart] if chart else []
    parts += _parameters(result)
    parts += [Text(), Text(totals(result), style="dim")]
    parts += _unmatched(result)
    return Group(*parts, *(Text(f"note: {note}", style="dim") for note in result.notes))


def render(result: Comparison) -> str:
    """The comparison as plain text, at most `WIDTH` wide."""
    stream = io.StringIO()
    PlainConsole(stream, WIDTH).print(diff_text(result))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def headline(result: Comparison) -> str:
    """The finding in a sentence."""
    if result.status == "not_comparable":
        return "The two runs have hardly a value in common that tells anything: they can't be compared."
    if result.first is None:
        return f"The same: {amount(result.matched, 'value')} of B agree with A within {short(result.tolerance)}."
    kinds = {
        "value": "compute unlike values from equal ones",
        "shape": "make values of unlike shapes from equal ones",
        "parameter": "begin with unlike parameters",
        "input": "are given unlike inputs",
        "missing": "part at an operation that only one of them has",
        "random": "part by random numbers",
        "update": "update their parameters unlike each other",
    }
    if result.first.kind == "value" and result.first.added is None:
        kinds["value"] = "have unlike values"
    at = result.first.b or result.first.a
    where = f", in step {at.view.step}" if at is not None else ""
    return f"The runs {kinds[result.first.kind]}{where}."


def _difference(found: FirstDifference) -> list[RenderableType]:
    table = plain_table()
    table.add_column("")
    table.add_column("A, the reference", overflow="fold")
    table.add_column("B", overflow="fold")
    for row in of_both(found):
        table.add_row(*row)
    return [table, Text(), *map(Text, sentences(found))]


def of_both(found: FirstDifference) -> list[tuple[str, str, str]]:
    """Rows on the two values side by side: a word, and what it is in A and in B."""
    rows = []
    for name, of in _ROWS.items():
        a, b = (ABSENT if side is None else of(side) for side in (found.a, found.b))
        if (a, b) != (ABSENT, ABSENT):
            rows.append((name, a, b))
    return rows


def sentences(found: FirstDifference) -> list[str]:
    """Tells of a difference what it is and what helps, each behind its word."""
    parts = []
    if found.only:
        names = ", ".join(f"{each.view.tensor} ({_place(each)})" for each in found.only)
        parts.append(f"only one   {names}")
    if found.error is not None:
        parts.append(f"apart by   {short(found.error)}, {_made(found)}")
    if found.measured is not None:
        parts.append(f"measured   {_measured(found.measured)}")
    if found.rerun is not None:
        parts.append(f"measured   {_run_again(found, found.rerun)}")
    return [*parts, f"why        {found.explanation}", f"fix        {found.suggestion}"]


def _made(found: FirstDifference) -> str:
    if found.rerun is not None:
        return "made there, as a second run measured" if found.added else "it came in, as a second run measured"
    made = {True: "made there: what went in agrees", False: "it came in", None: "not known where it was made"}
    return made[found.added]


def _run_again(found: FirstDifference, measured: Measured) -> str:
    """The difference of A's elements from those that B's operation makes of A's inputs."""
    if not found.added:
        return "given A's inputs, B's operation makes what A has"
    at = f" at {list(measured.position)}" if measured.position else ""
    return (
        f"given A's inputs, B's operation makes {measured.b:.6g}{at} where A has {measured.a:.6g}: "
        f"it adds at most {short(measured.largest)}"
    )


def _place(tensor: ComparedTensor) -> str:
    return ABSENT if tensor.source is None else tensor.source.place


def _type(tensor: ComparedTensor) -> str:
    shape = "" if tensor.view.shape is None else str(list(tensor.view.shape))
    return f"{tensor.view.dtype}{shape}"


def _number(name: str) -> Callable[[ComparedTensor], str]:
    def of(tensor: ComparedTensor) -> str:
        health = tensor.view.health
        return ABSENT if health is None else short(getattr(health, name))

    return of


def _text(tensor: ComparedTensor) -> str:
    return ABSENT if tensor.source is None else tensor.source.text or ABSENT


_ROWS: Mapping[str, Callable[[ComparedTensor], str]] = {
    "tensor": lambda tensor: tensor.view.tensor,
    "layer": lambda tensor: tensor.layer or ABSENT,
    "line": _place,
    "": _text,
    "type": _type,
    "min": _number("min"),
    "mean": _number("mean"),
    "max": _number("max"),
    "std": _number("std"),
}


def _measured(measured: Measured) -> str:
    """The difference of the elements that were kept."""
    if not measured.unequal:
        return f"all {amount(measured.size, 'element')} are equal"
    share = "" if measured.relative is None else f", {short(measured.relative)} times the largest of A"
    at = f" at {list(measured.position)}" if measured.position else ""
    numbers = f"{measured.a:.6g} in A, {measured.b:.6g} in B"
    return (
        f"the elements are at most {short(measured.largest)} apart{share}{at}: {numbers}; "
        f"{count(measured.unequal)} of {amount(measured.size, 'element')} are not equal"
    )


def _line(found: FirstDifference) -> Text:
    sides = [f"{each.view.tensor} ({_place(each)})" for each in (found.a, found.b) if each is not None]
    return Text(f"  {found.kind}: {' and '.join(sides)}, apart by {short(found.error)}")


def _parameters(result: Comparison) -> list[RenderableType]:
    pairs = result.parameters
    if not pairs:
        return []
    telling = differing_parameters(result)
    same = len(pairs) - len(telling)
    heading = Text(f"parameters: {count(same)} of {count(len(pairs))} begin equal", style="bold")
    return [Text(), heading, *([_parameter_table(telling[:_SHOWN])] if telling else [])]


def differing_parameters(result: Comparison) -> list[ParameterPair]:
    """The parameters that are not the same in both runs."""
    return [pair for pair in result.parameters if pair.status not in ("equal", "transposed")]


def _parameter_table(pairs: list[ParameterPair]) -> Table:
    table = plain_table()
    for name in ("A", "B", "", "apart by"):
        table.add_column(name, overflow="fold")
    words = {"differs": "differ", "only_a": "only in A", "only_b": "only in B"}
    for pair in pairs:
        table.add_row(pair.a or ABSENT, pair.b or ABSENT, words[pair.status], short(pair.error))
    return table


def totals(result: Comparison) -> str:
    """How many values agree, and how many have no partner."""
    return (
        f"{amount(result.matched, 'value')} agree within {short(result.tolerance)}; without a partner are "
        f"{count(result.unmatched_a)} of A and {count(result.unmatched_b)} of B"
    )


def _unmatched(result: Comparison) -> list[RenderableType]:
    """What the runs compute otherwise and that made no difference, where nothing differs."""
    if result.first is not None:
        return []
    lines: list[RenderableType] = []
    for run, some in (("A", result.only_a), ("B", result.only_b)):
        if some:
            names = ", ".join(dict.fromkeys(each.view.tensor for each in some[:_SHOWN]))
            lines.append(Text(f"only in {run}, and without a consequence: {names}", style="dim"))
    return lines
