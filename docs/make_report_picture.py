"""Draws docs/images/why.svg, the report of a real trace, as the README shows it.

tdbg run examples/digits_nan.py
python docs/make_report_picture.py
"""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console
from rich.terminal_theme import MONOKAI

import tensordbg
from tensordbg.analysis.finding import Origin
from tensordbg.report.findings.why_text import why_text

PICTURE = Path(__file__).parent / "images" / "why.svg"
ROOT = Path(__file__).parents[1]
COLUMNS = 104

# The fonts of the machine that shows the picture do; none is fetched from elsewhere.
FORMAT = re.sub(r"@font-face \{\{.*?\n    \}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    trace = sys.argv[1] if len(sys.argv) > 1 else "tdbg-traces"
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, markup=False, emoji=False, highlight=False
    )
    result = tensordbg.why(trace)
    console.print(why_text(replace(result, origins=tuple(map(seen_from_here, result.origins)))))
    svg = console.export_svg(title="tdbg why", theme=MONOKAI, code_format=FORMAT, unique_id="tdbg-why")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")


def seen_from_here(origin: Origin) -> Origin:
    """The origin with its file named as in this repository, not as on the machine that recorded it."""
    if origin.source is None or not origin.source.file.startswith(f"{ROOT}/"):
        return origin
    return replace(origin, source=replace(origin.source, file=origin.source.file.removeprefix(f"{ROOT}/")))


if __name__ == "__main__":
    main()
