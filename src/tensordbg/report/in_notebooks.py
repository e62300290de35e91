"""Results in a notebook, or in IPython in a terminal: what `tdbg` prints of them, in place of pages of dataclass.

Neither IPython nor marimo is ever imported: what is there was given, or was imported by the program.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from rich.console import RenderableType
from rich.terminal_theme import TerminalTheme

from tensordbg.analysis.diff.result import Comparison
from tensordbg.analysis.finding import Origin, WhyResult
from tensordbg.report.diff_html import diff_html
from tensordbg.report.diff_text import diff_text
from tensordbg.report.findings.origin_text import origin_text
from tensordbg.report.findings.why_text import WIDTH, why_text
from tensordbg.report.terminal import PlainConsole

_FONT = "var(--jp-code-font-family,var(--vscode-editor-font-family,Menlo,Consolas,monospace))"
"""Jupyter gives `pre` within HTML the typeface of its text, in which columns don't stand below one another."""
_PAGE = f'<pre style="font-family:{_FONT};line-height:1.3;white-space:pre;overflow-x:auto">{{code}}</pre>'
_GREY = (127, 127, 127)
_COLOURS = [(224, 57, 62), (42, 140, 63), (163, 116, 0), (59, 120, 216), (185, 76, 184), (22, 135, 155)]
_THEME = TerminalTheme((255, 255, 255), (0, 0, 0), [_GREY, *_COLOURS, _GREY])
"""Colours that can be read on white and on the dark grounds of notebooks; what has no colour has the notebook's."""

_TEXTS: tuple[tuple[type, Callable[[Any], RenderableType]], ...] = (
    (WhyResult, why_text),
    (Origin, origin_text),
    (Comparison, diff_text),
)
"""The results, and how each is printed."""

_DRAWN: dict[type, Callable[[Any], str]] = {Comparison: diff_html}
"""Results that are more than their text where there is room."""

_METHOD = "_repr_html_"
"""What marimo asks a value of a cell for."""


def show_results_if_running() -> None:
    """Does what `show_results` does where the program is a notebook or an IPython."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    if getattr(shell, "display_formatter", None) is not None:
        show_results(shell)
    if "marimo" in sys.modules:
        show_themselves()


def show_results(shell: Any) -> None:
    """Has an IPython show findings, origins and comparisons as `tdbg` prints them."""
    formatters = shell.display_formatter.formatters
    for result, text in _TEXTS:
        formatters["text/html"].for_type(result, _DRAWN.get(result) or _as_html(text))
        formatters["text/plain"].for_type(result, _as_plain(text))


def show_themselves() -> None:
    """Has results say themselves how they are shown, for notebooks that can't be told by type."""
    for result, text in _TEXTS:
        setattr(result, _METHOD, _DRAWN.get(result) or _as_html(text))


def _as_html(text: Callable[[Any], RenderableType]) -> Callable[[Any], str]:
    def html(result: Any) -> str:
        console = PlainConsole(io.StringIO(), WIDTH, record=True)
        console.print(text(result))
        return console.export_html(theme=_THEME, inline_styles=True, code_format=_PAGE)

    return html


def _as_plain(text: Callable[[Any], RenderableType]) -> Callable[[Any, Any, bool], None]:
    def plain(result: Any, printer: Any, _cycle: bool) -> None:
        stream = io.StringIO()
        PlainConsole(stream, WIDTH).print(text(result))
        printer.text("\n".join(line.rstrip() for line in stream.getvalue().splitlines()))

    return plain
