"""Draws docs/images/why.svg, the report of a real trace, as the README shows it.

tdbg run examples/digits_nan.py
python docs/make_report_picture.py
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console
from rich.terminal_theme import MONOKAI

import tensordbg
from tensordbg.report.why_text import why_text

PICTURE = Path(__file__).parent / "images" / "why.svg"
COLUMNS = 104

# The fonts of the machine that shows the picture do; none is fetched from elsewhere.
FORMAT = re.sub(r"@font-face \{\{.*?\n    \}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    trace = sys.argv[1] if len(sys.argv) > 1 else "tdbg-traces"
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, markup=False, emoji=False, highlight=False
    )
    console.print(why_text(tensordbg.why(trace)))
    svg = console.export_svg(title="tdbg why", theme=MONOKAI, code_format=FORMAT, unique_id="tdbg-why")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(svg)


if __name__ == "__main__":
    main()
