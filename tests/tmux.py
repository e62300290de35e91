"""A terminal of its own for a program under test: keys are sent to it, the mouse too, and its screen is read."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

PATIENCE = 120
"""So many seconds a screen may take to come; a busy machine starts TensorFlow slowly."""


class Tmux:
    """A program in a window of tmux; of a server of its own, which ends with the `with` block."""

    def __init__(self, command: list[str], folder: Path, size: tuple[int, int], environment: Mapping[str, str]) -> None:
        """What is run, where, in how many columns and rows, and what is set for it besides."""
        # In a folder of its own, since the path of a socket may have about a hundred signs and no more.
        self._home = tempfile.TemporaryDirectory(prefix="tdbg")
        self._socket = Path(self._home.name) / "tmux"
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        line = f"{settings} {shlex.join(command)}; echo ENDED with $?; exec cat"
        width, height = map(str, size)
        start = ("new-session", "-d", "-x", width, "-y", height, "-c", str(folder), "env", "-i", *_basics(), "sh", "-c")
        self._tmux("-f", "/dev/null", *start, line)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def __enter__(self) -> Tmux:
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True)
        self._home.cleanup()

    def keys(self, *names: str) -> None:
        """Presses keys by their names in tmux, such as `Enter` or `C-c`."""
        self._tmux("send-keys", *names)

    def type(self, text: str) -> None:
        """Types a line, and Enter."""
        self._tmux("send-keys", "-l", text)
        self.keys("Enter")

    def click(self, text: str, after: str = "") -> None:
        """Clicks the first sign of a text, behind another one in its row, as soon as it is on the screen."""
        self.wait_until(lambda screen: _find(screen, text, after) is not None, text)
        self.settle()
        place = _find(self.screen(), text, after)
        assert place is not None, f"{text!r} is gone"
        self.mouse(0, *place)

    def turn_wheel_to(self, text: str, place: tuple[int, int]) -> None:
        """Scrolls down with the mouse at a column and row, as far as to where a text is on the screen."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.screen():
            assert time.monotonic() < deadline, f"no {text!r} came into sight:\n{self.screen()}"
            self.mouse(65, *place)
            self.settle()

    def settle(self) -> None:
        """Waits until the screen stays as it is."""
        before = ""
        while before != (before := self.screen()):
            time.sleep(0.15)

    def mouse(self, button: int, column: int, row: int) -> None:
        """Presses and releases a button, as a terminal reports it (SGR); 64 and 65 are a turn of the wheel."""
        for end in "M" if button >= 64 else "Mm":
            report = f"\x1b[<{button};{column};{row}{end}"
            self._tmux("send-keys", "-H", *(f"{ord(sign):x}" for sign in report))

    def resize(self, width: int, height: int) -> None:
        """Makes the terminal larger or smaller."""
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    @property
    def takes_mouse(self) -> bool:
        """Whether the program asked for reports of the mouse."""
        return self._tmux("display-message", "-p", "#{mouse_any_flag}").strip() == "1"

    def rows(self) -> list[str]:
        """The rows of the screen, without the blanks at their ends."""
        return self._tmux("capture-pane", "-p").split("\n")[:-1]

    def screen(self) -> str:
        """The screen as text."""
        return "\n".join(self.rows())

    def looks(self) -> str:
        """The screen with the escape sequences of its colours."""
        return self._tmux("capture-pane", "-p", "-e")

    def wait(self, *texts: str, without: str = "\0") -> str:
        """Waits until some texts, and not another one, are on the screen."""
        return self.wait_until(lambda screen: all(text in screen for text in texts) and without not in screen, texts)

    def wait_highlighted(self, text: str) -> None:
        """Waits until a text is on the screen in reversed colours."""
        reversed_text = re.compile(r"\x1b\[(\d+;)*7(;\d+)*m" + re.escape(text))
        self.wait_until(lambda _: reversed_text.search(self.looks()) is not None, f"{text!r} reversed")

    def wait_until(self, holds: Callable[[str], bool], what: object = "", seconds: float = PATIENCE) -> str:
        """Waits for a screen."""
        deadline = time.monotonic() + seconds
        while not holds(screen := self.screen()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}:\n{screen}")
            time.sleep(0.05)
        return screen


def _find(screen: str, text: str, after: str) -> tuple[int, int] | None:
    """The column and row of a text, from 1."""
    for row, line in enumerate(screen.split("\n"), 1):
        begin = line.find(after)
        column = line.find(text, begin + len(after)) if begin >= 0 else -1
        if column >= 0:
            return column + 1, row
    return None


def _basics() -> list[str]:
    """What every program needs, so that a test does not depend on who runs it."""
    kept = [f"{name}={os.environ[name]}" for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ]
    return [*kept, "LANG=C.UTF-8", "TERM=screen-256color"]
