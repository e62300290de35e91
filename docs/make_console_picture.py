"""Draws docs/images/console.svg, the full-screen console on a real trace, as the manual shows it.

tdbg run --detail values examples/digits_nan.py
python docs/make_console_picture.py
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from tensordbg.console.console import Console, StateFiles
from tensordbg.console.fullscreen.application import ConsoleScreen
from tensordbg.trace.folders.runs import find_run

PICTURE = Path(__file__).parent / "images" / "console.svg"
ROOT = Path(__file__).parents[1]
SIZE = (120, 36)
LINES = ("lt -f non_finite", "li -r Log", "pt Log:0", "/inf")
NAMED = re.compile(rf'textLength="([\d.]+)"([^>]*>)([^<]*?){re.escape(str(ROOT))}/([^<]*)<')
"""A text that names a file of this repository as on the machine that recorded it."""


def seen_from_here(text: re.Match[str]) -> str:
    """The text with the file named as in this repository, and as wide as that is."""
    length, attributes, before, after = text.groups()
    whole = len(before) + len(str(ROOT)) + 1 + len(after)
    width = float(length) * (len(before) + len(after)) / whole
    return f'textLength="{width:.1f}"{attributes}{before}{after}<'


async def draw(trace: Path) -> str:
    screen = ConsoleScreen(Console(trace, files=StateFiles(None, None)))
    async with screen.run_test(size=SIZE) as pilot:
        for line in LINES:
            screen.action_type(line)
        while screen.busy:
            await pilot.pause(0.1)
        await pilot.pause()
        return screen.export_screenshot(title="tdbg console")


def main() -> None:
    trace = find_run(Path(sys.argv[1] if len(sys.argv) > 1 else "tdbg-traces")).only().folder
    svg = NAMED.sub(seen_from_here, asyncio.run(draw(trace)))
    # The fonts of the machine that shows the picture do; none is fetched from elsewhere.
    svg = re.sub(r"@font-face \{.*?\n\s*\}\n", "", svg, flags=re.DOTALL)
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")


if __name__ == "__main__":
    main()
