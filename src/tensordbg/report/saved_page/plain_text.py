"""The findings as plain HTML within a saved page, for readers that run no script: previews of mail and of CI."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tensordbg.wire.view.findings import Finding, Findings

_MOST = 20
"""So many findings are told."""

# The frame of the page fills the window and does not scroll.
_STYLE = "<style>html, body { height: auto; overflow: auto; padding: 1em } #page { display: none }</style>"


def page_text(findings: Findings) -> str:
    """An element `noscript` with what was found, all that is from the trace escaped."""
    parts = ["<h1>tensordbg</h1>", _paragraph(findings.summary)]
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


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""
