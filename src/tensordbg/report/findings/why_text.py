"""The report of `tdbg why`: one screen that says what went wrong first, why, and what to do."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from tensordbg.analysis.finding import NOTHING_READ_IT, Origin, WhyResult
from tensordbg.report.findings.alerts import alert_lines
from tensordbg.report.findings.failure_text import failure_text
from tensordbg.report.findings.origin_text import origin_line, origin_text
from tensordbg.report.findings.warnings import warning_lines
from tensordbg.report.numbers import count
from tensordbg.report.terminal import PlainConsole

WIDTH = 100
"""Text is not set wider than this, as long lines are hard to read."""

_SHARES = 16
"""Of so many processes it is told how much each has."""

_LISTED = 8
"""So many further origins are listed, and so many harmless ones."""


class _Narrow:
    """Keeps what it holds within `WIDTH`, without filling lines up with blanks."""

    def __init__(self, inside: RenderableType) -> None:
        self._inside = inside

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self._inside, options.update_width(min(WIDTH, options.max_width)))


def why_text(result: WhyResult) -> RenderableType:
    """The report, for a `rich` console."""
    notes = [Text(f"note: {note}", style="dim") for note in result.notes]
    further = [*warning_lines(result.warnings), *alert_lines(result.alerts)]
    return _Narrow(Group(*_parts(result), *further, *notes))


def render(result: WhyResult) -> str:
    """The report as plain text, at most `WIDTH` wide."""
    return _plain(why_text(result))


def render_origins(origins: Sequence[Origin]) -> str:
    """Some origins as plain text: the first in full, of the others a line each."""
    parts: list[RenderableType] = [origin_text(origins[0])]
    if len(origins) > 1:
        parts += [Text(), Text("further origins:"), *map(origin_line, origins[1:_LISTED])]
    return _plain(Group(*parts))


def _plain(text: RenderableType) -> str:
    stream = io.StringIO()
    PlainConsole(stream, WIDTH).print(text)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _parts(result: WhyResult) -> list[RenderableType]:
    """What went wrong with the numbers, and the error that ended the program; in the order in which they came."""
    numbers = _numbers(result)
    failures = [part for failure in result.failures for part in (*failure_text(failure), Text())]
    if any(origin.consequential for origin in result.origins):
        return [*numbers, Text(), *failures[:-1]] if failures else numbers
    return [*failures, *numbers]


def _numbers(result: WhyResult) -> list[RenderableType]:
    if not result.measured or not result.non_finite_events:
        return [Text(status_sentence(result))]
    grave = [origin for origin in result.origins if origin.consequential]
    harmless = [origin for origin in result.origins if not origin.consequential]
    parts: list[RenderableType] = []
    if grave:
        parts.append(origin_text(grave[0]))
    else:
        parts.append(Text(status_sentence(result), style="bold"))
    for heading, further in (("further origins", grave[1:]), ("harmless (nothing came of it)", harmless)):
        if further:
            parts += [Text(), Text(f"{heading}:", style="bold"), *map(origin_line, further[:_LISTED])]
            if len(further) > _LISTED:
                parts.append(Text(f"  and {count(len(further) - _LISTED)} more; --json tells all", style="dim"))
    parts += [Text(), Text(totals_sentence(result), style="dim")]
    return parts


def status_sentence(result: WhyResult) -> str:
    """The sentence where nothing went wrong that matters."""
    if not result.measured:
        return "The values of tensors were not recorded; run with --detail health to know more."
    if result.non_finite_events:
        return f"Nothing that matters went wrong: what was not finite {_end_of_all(result)}."
    if not result.tensor_events:
        return "No tensor was recorded."
    if result.tensor_events == 1:
        return "The only tensor was finite."
    steps = f"{count(result.steps)} step{'' if result.steps == 1 else 's'}"
    processes = f" in {len(result.processes)} processes" if result.processes else ""
    return f"All {count(result.tensor_events)} tensors over {steps}{processes} were finite."


def _end_of_all(result: WhyResult) -> str:
    unread = {origin.caught == NOTHING_READ_IT for origin in result.origins if not origin.allowed}
    if unread == {True}:
        return "was read by nothing"
    return "died out, or nothing read it" if True in unread else "died out"


def totals_sentence(result: WhyResult) -> str:
    """How many tensors were not finite, in which process."""
    total = f"{count(result.non_finite_events)} of {count(result.tensor_events)} recorded tensors"
    verb = "is" if result.non_finite_events == 1 else "are"
    if not result.processes:
        return f"{total} {verb} not finite."
    told = result.processes
    if len(told) > _SHARES:
        told = tuple(sorted(told, key=lambda each: -each.non_finite_events))[:_SHARES]
    shares = ", ".join(f"{each.name} {count(each.non_finite_events)}" for each in told)
    if len(told) < len(result.processes):
        shares = f"{shares} and others; --json tells all"
    return f"{total} in {len(result.processes)} processes {verb} not finite: {shares}."
