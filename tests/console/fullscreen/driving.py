"""The screen without a terminal: keys and clicks are given to it, and its rows are read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from tensordbg.console.console import Console
from tensordbg.console.fullscreen.application import ConsoleScreen
from tensordbg.console.running import Go

PATIENCE = 60
"""So many seconds something may take."""


class Driven:
    """A screen that is open."""

    def __init__(self, screen: ConsoleScreen, pilot: Pilot[Go]) -> None:
        """Of a test; `drive` makes it."""
        self.screen = screen
        self.pilot = pilot

    async def type(self, line: str) -> None:
        """Puts a text in the line, as if it had been typed, and presses Enter; keys one by one take a while."""
        self.screen._command.write(line)
        await self.pilot.press("enter")

    async def press(self, *keys: str) -> None:
        """Presses keys by their names in Textual."""
        await self.pilot.press(*keys)

    def rows(self) -> list[str]:
        """The rows that are drawn, without the blanks at their ends."""
        strips = self.screen.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def text(self) -> str:
        """All rows."""
        return "\n".join(self.rows())

    async def sees(self, *texts: str, without: str = "\0") -> list[str]:
        """Waits until some texts, and not another one, are on the screen."""
        await self.until(lambda: all(text in self.text() for text in texts) and without not in self.text())
        return self.rows()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"waited in vain:\n{self.text()}"
            await self.pilot.pause(0.01)

    async def click(self, text: str, after: str = "") -> None:
        """Clicks the first sign of a text, behind another one in its row."""
        await self.sees(text)
        for row, line in enumerate(self.rows()):
            begin = line.find(after)
            column = line.find(text, begin + len(after)) if begin >= 0 else -1
            if column >= 0:
                await self.pilot.click(offset=(column, row))
                return
        raise AssertionError(f"no {text!r} behind {after!r}:\n{self.text()}")


def drive(console: Console, talk: Callable[[Driven], Awaitable[None]], size: tuple[int, int] = (120, 40)) -> Go | None:
    """Opens the screen, has a test talk with it, and gives what it ended with; None where it did not end."""

    async def run() -> Go | None:
        screen = ConsoleScreen(console)
        async with screen.run_test(size=size) as pilot:
            await talk(Driven(screen, pilot))
            return screen.return_value

    return asyncio.run(run())
