"""A page that opens without a server: the browser's page in one file, with its answers in it."""

from __future__ import annotations

from pathlib import Path

import tensordbg
from tensordbg.errors import UsageError
from tensordbg.report.saved_page.content import saved_content
from tensordbg.report.saved_page.plain_text import page_text
from tensordbg.wire.view.answers import RunAnswers

PAGE_BYTES = 3_000_000
"""What a page may have, so that trackers take it as an attachment."""

BUNDLE = Path(tensordbg.__file__).parent / "server" / "page" / "saved.html"
"""The page in one file, as Vite made it of `web/`."""

_PLACE = '<script type="application/json" id="saved-answers">{answers}</script>'


def saved_page(answers: RunAnswers, size: int = PAGE_BYTES) -> bytes:
    """The page as HTML in UTF-8.

    Args:
        answers: About the run that it shows.
        size: Bytes that it may have; what is far from the findings is left out for it, and the page says so.

    Raises:
        TraceError: If a trace can't be read.
        UsageError: If the page was not built when the package was.
    """
    before, after = _bundle()
    text, end = _text(answers).encode(), b"</body>"
    after = after.replace(end, text + end)
    content = saved_content(answers, size - len(before) - len(after))
    return before + content + after


def _text(answers: RunAnswers) -> str:
    """The text for readers that run no script; where nothing went wrong, with what is worth a look."""
    findings, overview = answers.findings(), answers.overview()
    names = () if findings.findings else tuple(each.process for each in overview.processes)
    sights = [sight.text for name in names for sight in answers.progress(name, "", 1).sights]
    return page_text(findings, overview, sights)


def _bundle() -> tuple[bytes, bytes]:
    """The page before and after the place of its content."""
    if not BUNDLE.is_file():
        raise UsageError(
            "the page is not there, since it was not built: run `make` in the sources with Node installed, or install "
            "a built package; a report.md needs no page"
        )
    before, place, after = BUNDLE.read_text(encoding="utf-8").partition(_PLACE)
    assert place, "saved.html has no place for its content"
    opening, closing = _PLACE.split("{answers}")
    return (before + opening).encode(), (closing + after).encode()
