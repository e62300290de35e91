"""The findings of a trace as SARIF 2.1.0, by which a code host shows each of them at its line of the source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from tensordbg import __version__
from tensordbg.analysis.failures.lead import failure_lead
from tensordbg.analysis.finding import Alert, NumericalWarning, Origin, ProgramFailure, SourceLine, WhyResult

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_ROOT = "%SRCROOT%"
"""Under this name code hosts know the folder of a checkout."""

_FAILED = "failed_operation"


@dataclass(frozen=True)
class _Result:
    rule: str
    level: str
    message: str
    subject: str
    """What it is of, so that it is told from others in one line."""
    source: SourceLine | None
    stack: Sequence[SourceLine] = ()
    related: tuple[tuple[str, SourceLine], ...] = ()
    """Other lines, with a word for each."""


def why_to_sarif(result: WhyResult, root: Path) -> dict[str, Any]:
    """The object that `tdbg why --sarif` prints.

    Args:
        result: The findings. What came to something is an error, warnings are warnings, all else is a note.
        root: The folder of the checkout: files below it are named relative to it, as code hosts need it.
    """
    results = list(_results(result))
    rules = sorted({each.rule for each in results})
    base = root.resolve()
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "tensordbg", "version": __version__, "rules": [*map(_rule, rules)]}},
                "originalUriBaseIds": {_ROOT: {"uri": f"{base.as_uri().rstrip('/')}/"}},
                "results": [_result(each, rules.index(each.rule), base) for each in results],
            }
        ],
    }


def _results(result: WhyResult) -> Iterator[_Result]:
    yield from map(_of_failure, result.failures)
    yield from map(_of_origin, result.origins)
    yield from map(_of_warning, result.warnings)
    yield from map(_of_alert, result.alerts)


def _of_failure(failure: ProgramFailure) -> _Result:
    related = tuple((each.explanation, each.source) for each in failure.beginnings if each.source is not None)
    lead = failure_lead(failure)
    return _Result(_FAILED, "error", lead, failure.op_name or failure.error, failure.source, failure.stack, related)


def _of_origin(origin: Origin) -> _Result:
    level = "error" if origin.consequential else "note"
    made = f"{origin.view.tensor} in step {origin.view.step} is where numbers stopped being finite."
    message = f"{made} {origin.explanation} {origin.suggestion}"
    lines = [(f"{each.tensor}, {_relation(each.relation)}", each.source) for each in origin.also]
    related = tuple((words, source) for words, source in lines if source is not None)
    return _Result(origin.cause, level, message, origin.view.tensor, origin.place, origin.stack, related)


def _relation(relation: str) -> str:
    return {"gradient": "its gradient", "forward": "whose gradient it is"}.get(relation, "alike")


def _of_warning(warning: NumericalWarning) -> _Result:
    message = f"{warning.explanation} {warning.suggestion}"
    return _Result(warning.kind, "warning", message, warning.variable or warning.view.tensor, warning.source)


def _of_alert(alert: Alert) -> _Result:
    message = f"{alert.explanation}; {alert.suggestion}"
    return _Result(alert.kind, "note", message, alert.tensor or alert.function, alert.source)


def _rule(name: str) -> dict[str, Any]:
    return {"id": name, "shortDescription": {"text": name.replace("_", " ")}}


def _result(each: _Result, index: int, base: Path) -> dict[str, Any]:
    line = each.source
    text = line.text if line else ""
    mark = "\0".join([each.rule, each.subject, PurePath(line.file).name if line else "", text])
    related = [{**_location(source, base), "message": {"text": words}} for words, source in each.related]
    frames = [{"location": _location(frame, base)} for frame in reversed(each.stack) if frame.user]
    return {
        "ruleId": each.rule,
        "ruleIndex": index,
        "level": each.level,
        "message": {"text": each.message.strip()},
        "locations": [] if line is None else [_location(line, base)],
        **({"relatedLocations": related} if related else {}),
        **({"stacks": [{"message": {"text": "the program's own lines"}, "frames": frames}]} if frames else {}),
        # Of the line's text and not of its number, so that a finding stays the same where lines move.
        "partialFingerprints": {"tensordbg/v1": hashlib.sha256(mark.encode(errors="surrogatepass")).hexdigest()[:32]},
    }


def _location(line: SourceLine, base: Path) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(line.line, 1)}
    if line.text:
        region["snippet"] = {"text": line.text}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(line.file, base), "region": region}}
    if line.function:
        location["logicalLocations"] = [{"name": line.function, "kind": "function"}]
    return location


def _artifact(file: str, base: Path) -> dict[str, Any]:
    path = PurePath(file)
    if path.is_absolute():
        try:
            path = path.relative_to(base)
        except ValueError:
            return {"uri": f"file://{_quoted(path)}"}
    return {"uri": _quoted(path), "uriBaseId": _ROOT}


def _quoted(path: PurePath) -> str:
    # A damaged trace may name files as none can be called.
    return quote(path.as_posix(), errors="surrogatepass")
