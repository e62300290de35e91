"""The findings as plain HTML within a saved page, for readers that run no script: previews of mail and of CI."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import PurePath

from tensordbg.wire.view.findings import Finding, Findings
from tensordbg.wire.view.overview import Overview

_MOST = 20
"""So many findings are told."""

# The frame of the page fills the window and does not scroll.
_STYLE = "<style>html, body { height: auto; overflow: auto; padding: 1em } #page { display: none }</style>"


def page_text(findings: Findings, overview: Overview, sights: Sequence[str] = ()) -> str:
    """An element `noscript` with what was found, all that is from the trace escaped.

    Args:
        findings: What was found.
        overview: The run.
        sights: What is worth a look besides.
    """
    program = PurePath(overview.program).name
    parts = [f"<h1>{escape(program)}</h1>", _paragraph(_recorded(overview)), _paragraph(findings.summary)]
    if sights:
        parts.append(f"<ul>{''.join(f'<li>{_prose(sight)}</li>' for sight in sights)}</ul>")
    for finding in findings.findings[:_MOST]:
        parts += _finding_text(finding)
    left = len(findings.findings) - _MOST
    if left > 0:
        parts.append(_paragraph(f"{left} more are not listed here."))
    parts.append(_paragraph("With JavaScript this page shows the tensors, the source, the graph and the timeline."))
    return f"<noscript>{_STYLE}<main>{''.join(parts)}</main></noscript>"


def _finding_text(finding: Finding) -> Iterator[str]:
    yield f"<h2>{escape(finding.title)}</h2>"
    source = finding.source
    places = [
        f"{source.file}:{source.line}" if source else "",
        f"in {finding.function}()" if finding.function else "",
        "" if finding.step is None else f"step {finding.step}",
    ]
    yield _paragraph(", ".join(filter(None, places)))
    if source and source.text:
        yield f"<pre>{escape(source.text.strip())}</pre>"
    yield _paragraph(finding.explanation)
    yield _paragraph(finding.suggestion)


def _recorded(overview: Overview) -> str:
    when = dt.datetime.fromtimestamp(overview.created_ns / 1e9, dt.timezone.utc)
    command = " ".join(overview.command) or overview.program
    return f"An extract of what tensordbg recorded of `{command}` on {when:%Y-%m-%d at %H:%M} UTC."


def _paragraph(text: str) -> str:
    return f"<p>{_prose(text)}</p>" if text else ""


def _prose(text: str) -> str:
    """Text whose code stands between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
