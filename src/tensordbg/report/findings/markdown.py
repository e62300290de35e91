"""The findings as Markdown, for an issue tracker: what went wrong, where, why, and what the program was."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tensordbg import __version__
from tensordbg.analysis.failures.lead import failure_lead
from tensordbg.analysis.finding import Alert, NumericalWarning, Origin, ProgramFailure, SourceLine, WhyResult
from tensordbg.report.findings.failure_text import circumstances_of as circumstances_of_failure
from tensordbg.report.findings.failure_text import input_rows
from tensordbg.report.findings.markdown_words import code, code_block, prose, table
from tensordbg.report.findings.origin_tables import health_rows
from tensordbg.report.findings.origin_text import (
    TAKEN,
    also_of,
    arrival_of,
    circumstances_of,
    dropped_of,
    forward_source,
    headline,
    lines_around,
    moment_of,
    outcomes_of,
    spread_of,
)
from tensordbg.report.findings.why_text import status_sentence, totals_sentence
from tensordbg.report.numbers import count
from tensordbg.trace.reader import TraceReader

_IN_FULL = 3
"""So many origins that matter are told in full."""
_LISTED = 20
"""So many further findings get a line each."""


@dataclass(frozen=True)
class Circumstances:
    """Versions and commands, for those who want to see it happen too."""

    program: str
    command: tuple[str, ...]
    python: str
    frameworks: Mapping[str, str]
    """Versions by name."""
    detail: str


def circumstances_of_run(processes: Mapping[str, TraceReader]) -> Circumstances:
    """Those of its first process."""
    first = next(iter(processes.values()))
    known = first.metadata
    return Circumstances(known.program, known.command, known.python, first.facts.frameworks, known.detail.value)


def findings_markdown(result: WhyResult, circumstances: Circumstances) -> str:
    """The report, ending with a line break."""
    grave = [origin for origin in result.origins if origin.consequential]
    harmless = [origin for origin in result.origins if not origin.consequential]
    parts = [f"## {_head(result, grave)}"]
    parts += [prose(totals_sentence(result))] if result.non_finite_events else []
    lead = () if grave else result.failures[:1]
    parts += [part for each in lead for part in _failure(each)]
    for k, origin in enumerate(grave[:_IN_FULL]):
        parts += [f"### {_headline(origin)}"] if k else []
        parts += _origin(origin)
    parts += _list("Further origins", [_origin_line(each) for each in grave[_IN_FULL:]])
    parts += _list("Harmless (nothing came of it)", [_origin_line(each) for each in harmless])
    for failure in result.failures[len(lead) :]:
        parts += [f"### {prose(failure_lead(failure))}", *_failure(failure)]
    parts += _list("Warnings, of finite numbers", [_warning_line(each) for each in result.warnings])
    parts += _list("Alerts", [_alert_line(each) for each in result.alerts])
    parts += _list("Notes", [prose(note) for note in result.notes])
    parts += ["### Program", "\n".join(_program(circumstances))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(result: WhyResult, grave: Sequence[Origin]) -> str:
    """The headline: what went wrong first."""
    if grave:
        return _headline(grave[0])
    return prose(failure_lead(result.failures[0]) if result.failures else status_sentence(result))


def _failure(failure: ProgramFailure) -> Iterator[str]:
    """The error that ended the program, below its sentence."""
    yield prose(circumstances_of_failure(failure))
    if failure.source is not None:
        yield _source_block(failure.source)
    yield code_block(failure.message, "text")
    if failure.inputs:
        head, *rows = input_rows(failure)
        yield table([head, *([role, code(tensor), code(kind), *cells] for role, tensor, kind, *cells in rows)])
    yield "\n".join(f"- **{each.what}** {prose(each.explanation)} {_place(each.source)}" for each in failure.beginnings)
    yield _stack(failure.stack)


def _headline(origin: Origin) -> str:
    said = headline(origin).plain.removeprefix(origin.view.tensor)
    return f"{code(origin.view.tensor)} {prose(said)}"


def _origin(origin: Origin) -> Iterator[str]:
    place = _place(origin.place)
    yield " · ".join([place, *map(prose, circumstances_of(origin))] if place else map(prose, circumstances_of(origin)))
    if origin.place is not None:
        yield _source_block(origin.place)
    if forward_source(origin) is not None and origin.source is not None:
        yield f"{_place(origin.source)}, {TAKEN}"
        yield _source_block(origin.source)
    head, *rows = health_rows(origin)
    yield table([head, *([role, code(tensor), code(kind), *numbers] for role, tensor, kind, *numbers in rows)])
    yield "\n".join(f"- {line}" for line in _reasons(origin))
    yield _stack(origin.stack)


def _reasons(origin: Origin) -> Iterator[str]:
    yield f"**Cause** {code(origin.verdict.cause)}: {prose(origin.verdict.explanation)}"
    if origin.gradient_of is not None:
        dropped = dropped_of(origin)
        yield f"**Of** the gradient of {code(origin.gradient_of.tensor)} {_place(origin.gradient_of.source)}{dropped}"
    yield f"**Fix** {prose(origin.verdict.suggestion)}"
    yield f"**Spread** {prose(spread_of(origin))}"
    for head, told in outcomes_of(origin).items():
        for text in told[:_LISTED]:
            yield f"**{head.capitalize()}** {prose(text)}"
        if len(told) > _LISTED:
            yield f"**{head.capitalize()}** {count(len(told) - _LISTED)} more"
    for arrival in origin.arrivals:
        yield f"**Then** {prose(arrival_of(arrival))}"
    if origin.occurrences > 1:
        replicas = f", on {len(origin.devices)} replicas" if origin.devices else ""
        yield f"**Again** happened {count(origin.occurrences)} times in all{replicas}"
    if also := also_of(origin):
        yield f"**Also** {prose(also)}"


def _source_block(line: SourceLine) -> str:
    """The line with its neighbours, marked and numbered."""
    lines = lines_around(line)
    width = len(str(lines[-1][0]))
    return code_block(
        "\n".join(f"{'>' if number == line.line else ' '} {number:{width}} {text}" for number, text in lines), "text"
    )


def _stack(stack: Sequence[SourceLine]) -> str:
    """The frames of the user's own code; their folders are nobody's business, as far as all share them."""
    frames = [frame for frame in stack if frame.user]
    shared = _shared_folder([frame.file for frame in frames])
    lines = [
        f"{_below(frame.file, shared)}:{frame.line} in {frame.function}\n    {frame.text.strip()}".rstrip()
        for frame in frames
    ]
    block = code_block("\n".join(lines), "text")
    return f"<details><summary>Stack, of the program's own code</summary>\n\n{block}\n\n</details>" if frames else ""


def _shared_folder(files: Sequence[str]) -> str:
    absolute = [os.path.dirname(file) for file in files if os.path.isabs(file)]  # noqa: PTH117, PTH120  may be foreign
    return os.path.commonpath(absolute) if absolute else ""


def _below(file: str, folder: str) -> str:
    return str(PurePath(file).relative_to(folder)) if folder and PurePath(file).is_relative_to(folder) else file


def _origin_line(origin: Origin) -> str:
    view = origin.view
    process = f"{code(origin.process)}: " if origin.process else ""
    times = f", {count(origin.occurrences)} times" if origin.occurrences > 1 else ""
    excuse = (
        f"; {origin.caught}" if origin.caught else f"; allowed, by the rule {origin.allowed}" if origin.allowed else ""
    )
    said = f"{process}{code(view.tensor)} {prose(moment_of(view))}"
    return f"{said} {_place(origin.place)}: {code(origin.verdict.cause)}{times}{prose(excuse)}"


def _warning_line(warning: NumericalWarning) -> str:
    name = code(warning.variable or warning.view.tensor)
    said = f"{prose(warning.explanation)} {prose(warning.suggestion)}"
    return f"**{prose(warning.kind)}** {name} {_place(warning.source)}: {said}"


def _alert_line(alert: Alert) -> str:
    said = f"{prose(alert.explanation)}; {prose(alert.suggestion)}"
    return f"**{prose(alert.kind)}** {code(alert.tensor or alert.function)} {_place(alert.source)}: {said}"


def _place(line: SourceLine | None) -> str:
    return code(line.place) if line else ""


def _list(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = [f"and {count(len(lines) - _LISTED)} more"] if len(lines) > _LISTED else []
    return [f"### {heading}", "\n".join(f"- {line}" for line in [*lines[:_LISTED], *more])]


def _program(circumstances: Circumstances) -> Iterator[str]:
    yield f"- program: {code(circumstances.program)}"
    yield f"- command: {code(shlex.join(circumstances.command))}"
    versions = [*circumstances.frameworks.items(), ("Python", circumstances.python), ("tensordbg", __version__)]
    yield f"- versions: {', '.join(prose(f'{name} {version}') for name, version in versions)}"
    yield f"- recorded with: {code(f'--detail {circumstances.detail}')}"
