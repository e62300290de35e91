"""The console: takes a line, does what it says, and remembers lines and pages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.command_table import run_command
from tensordbg.console.completion import Completion, complete
from tensordbg.console.language.filters import Filters
from tensordbg.console.language.words import parse_line
from tensordbg.console.names.runs import EVERYTHING, Runs, Scope, find_runs, scope_from, scope_of, scope_since
from tensordbg.console.opening import opening_page
from tensordbg.console.pages.navigation import navigate
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.redirection import write_page
from tensordbg.console.pages.remembered import SeenPages, TypedLines
from tensordbg.console.running import Go, Runner
from tensordbg.console.settings import Settings, lines_file, read_settings, settings_file
from tensordbg.errors import UsageError
from tensordbg.model import NONE
from tensordbg.trace.folders.progress import Progress, progress_of
from tensordbg.trace.reader import TraceReader, open_trace


@dataclass(frozen=True)
class Answer:
    """The answer to a line."""

    page: Page | None = None
    """None where there is nothing to show, as after `exit` or an empty line."""
    go: Go | None = None
    """Where the line said how the program goes on: the face ends its conversation and hands this out."""


@dataclass(frozen=True)
class StateFiles:
    """Where the console keeps what outlives it; None where it is kept for this session only."""

    lines: Path | None = field(default_factory=lines_file)
    settings: Path | None = field(default_factory=settings_file)


class Console:
    """The commands on one trace."""

    def __init__(
        self,
        folder: Path,
        runner: Runner | None = None,
        filters: Filters | None = None,
        files: StateFiles | None = None,
    ) -> None:
        """Nothing of the trace is read yet.

        Args:
            folder: Of the trace, which may still grow: each line sees what was recorded by then.
            runner: The program that is recorded and stands still while a line is answered; None where there is none.
            filters: Those that have a name.
            files: Where lines and settings are kept; by default in the user's own folders.
        """
        self.folder = folder
        self.runner = runner
        self.filters: Filters = filters or Filters()
        self.files = files or StateFiles()
        self.settings = Settings() if self.files.settings is None else read_settings(self.files.settings)
        self.pages = SeenPages()
        self._lines = TypedLines(self.files.lines)
        self._opened: OpenedTrace | None = None
        self._progress: Progress | None = None
        self._runs: Runs | None = None

    @property
    def opened(self) -> OpenedTrace:
        """The trace as it was when the last line was typed."""
        if self._opened is None:
            self._opened = OpenedTrace(open_trace(self.folder))
        return self._opened

    @property
    def runs(self) -> Runs:
        """The runs that were recorded."""
        opened = self.opened
        if self._runs is None:
            self._runs = find_runs(opened, None if self.runner is None else self.runner.executions)
        return self._runs

    @property
    def prompt(self) -> str:
        """The prompt before the cursor."""
        return "tdbg> "

    def scope(self, chosen: str = "") -> Scope:
        """The tensors that a command looks at.

        Args:
            chosen: As `-x` has it; by default those of the run that was made last, and of what ran since where the
                program stands at a line behind it; all where no program runs, near the event of the shown page.

        Raises:
            UsageError: If there are no such runs.
        """
        if chosen:
            return scope_of(self.opened, self.runs, chosen)
        if self.runner is None:
            shown = self.pages.shown
            return replace(EVERYTHING, near=NONE if shown is None or shown.event is None else shown.event)
        stop = self.runner.stop
        if stop.passed is not None:
            return scope_from(self.opened, stop.passed, f"run {stop.run} and of what ran before it")
        last = [number for number, each in self.runner.executions.items() if each == stop.execution]
        if last:
            return scope_of(self.opened, self.runs, str(last[0]))
        if stop.since is not None:
            return scope_from(self.opened, stop.since, f"run {stop.run}")
        if stop.at is not None:
            return scope_since(self.opened, self.runs)
        return scope_of(self.opened, self.runs, "last") if len(self.runs) else EVERYTHING

    def opening(self) -> Page:
        """The page that is shown first, and after each stop: where the program stands and what can be done.

        It is the first of the remembered pages; where tensors pass a filter it lists them, where a run raised it tells
        of the operation.
        """
        self._follow()
        page = opening_page(self)
        self.pages.add(page)
        return page

    def answer(self, line: str) -> Answer:
        """Does what a line says, and remembers the line and its page.

        Raises:
            UsageError: If it is not understood, or names what is not there; one line of text.
            TraceError: If the trace can't be read.
        """
        self._lines.add(line.strip())
        self._follow()
        moved = navigate(self.pages, line)
        if moved is not None:
            return Answer(moved)
        typed = parse_line(line)
        if not typed.words:
            return Answer()
        answer = self._run(line, typed.words)
        if typed.target:
            if answer.page is None:
                raise UsageError(f"`{typed.words[0]}` answers with nothing to write; leave `> {typed.target}` out")
            answer = replace(answer, page=write_page(answer.page, Path(typed.target)))
        if answer.page is not None:
            self.pages.add(answer.page)
        return answer

    def preview(self, line: str) -> Page:
        """The page of a line that only looks; nothing is remembered. Raises as `answer`, also if it would not look."""
        self._follow()
        typed = parse_line(line)
        if not typed.words or typed.target:
            raise UsageError(f"{line!r} only shows nothing; leave it to be typed")
        answer = self._run(line, typed.words)
        if answer.page is None or answer.go is not None:
            raise UsageError(f"{line!r} only shows nothing; leave it to be typed")
        return answer.page

    def complete(self, line: str, cursor: int) -> Completion:
        """Completes at the cursor: commands, options, tensors, nodes, files, filters, what is fed."""
        return complete(self, line, cursor)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that were typed, here and in earlier sessions, the oldest first."""
        return self._lines.all

    def previous(self) -> Page | None:
        """Goes back to the page before the one shown, as the command `prev`; None at the first."""
        return self.pages.move(-1)

    def next(self) -> Page | None:
        """Goes on to the page after the one shown, as the command `next`; None at the last."""
        return self.pages.move(1)

    def _follow(self) -> None:
        """Opens the trace anew if it has grown; while a line is answered it stays as it is."""
        if self._opened is None:
            return
        # How far it has grown is looked at before it is opened: what is recorded meanwhile is seen the next time.
        progress = _progress(self._opened.reader)
        if progress != self._progress:
            self._opened, self._progress, self._runs = OpenedTrace(open_trace(self.folder)), progress, None

    def _run(self, line: str, words: tuple[str, ...]) -> Answer:
        found = run_command(self, words)
        answer = found if isinstance(found, Answer) else Answer(found)
        return answer if answer.page is None else replace(answer, page=replace(answer.page, command=line.strip()))


def _progress(reader: TraceReader) -> Progress:
    metadata = reader.metadata
    return progress_of(reader.path, metadata.segment_records, metadata.last)


class Face(Protocol):
    """Talks with the user: full-screen, at a plain prompt, or as a script does."""

    def converse(self, console: Console) -> Go:
        """Shows `console.opening()`, answers lines until one says how to go on, and returns that.

        It may be called again and again, at each stop of the program. The end of the input counts as `exit`.
        """
