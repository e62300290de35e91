"""What a program consists of: sites, functions, stacks, sources, variables, each with its number.

A process has one catalog for its whole life, since a graph that was instrumented once keeps its numbers. Each trace
made in that process gets everything known so far when it begins, and whatever is added after.
"""

from __future__ import annotations

import hashlib
import linecache
import threading
from collections.abc import Iterable
from typing import Protocol

from tensordbg.model import Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.usercode import UserCode

RawFrame = tuple[str, int, str]
"""File, line and function name of one line of a Python stack."""


class CatalogSink(Protocol):
    """Where the rows go: the writer of a trace."""

    def sites(self, sites: Iterable[Site]) -> None:
        """Writes sites."""

    def function(self, function: Function) -> None:
        """Writes a function."""

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        """Writes a stack, outermost frame first."""

    def source(self, source: SourceFile) -> None:
        """Writes the text of a file."""

    def variable(self, variable: Variable) -> None:
        """Writes a variable."""


class Catalog:
    """Gives out the numbers and passes each row to the trace that is being written, before anything refers to it."""

    def __init__(self) -> None:
        self.user_code = UserCode()
        self._lock = threading.RLock()
        self._sink: CatalogSink | None = None
        self._next_site = 0
        self._sites: dict[int, Site] = {}
        self._functions: list[Function] = []
        self._variables: list[Variable] = []
        self._stacks: dict[tuple[RawFrame, ...], int] = {}
        self._frames: list[tuple[Frame, ...]] = []
        self._sources: dict[str, SourceFile] = {}

    def attach(self, sink: CatalogSink) -> None:
        """Writes all that is known to `sink`, and from now on whatever is added."""
        with self._lock:
            for source in self._sources.values():
                sink.source(source)
            for number, frames in enumerate(self._frames):
                sink.stack(number, frames)
            for variable in self._variables:
                sink.variable(variable)
            sink.sites(self._sites.values())
            for function in self._functions:
                sink.function(function)
            self._sink = sink

    def detach(self) -> None:
        """Stops writing; the numbers stay."""
        with self._lock:
            self._sink = None

    def new_sites(self, count: int) -> int:
        """Reserves `count` consecutive site numbers and returns the first."""
        with self._lock:
            first = self._next_site
            self._next_site += count
            return first

    def add_sites(self, sites: list[Site]) -> None:
        """Adds sites whose numbers were reserved; a number given before is described anew."""
        with self._lock:
            self._sites.update((site.site, site) for site in sites)
            if self._sink is not None:
                self._sink.sites(sites)

    def add_function(self, function: Function) -> None:
        """Adds a function numbered by `next_function`."""
        with self._lock:
            self._functions.append(function)
            if self._sink is not None:
                self._sink.function(function)

    @property
    def next_function(self) -> int:
        """The number that the next function must bear."""
        return len(self._functions)

    @property
    def lock(self) -> threading.RLock:
        """Held while several rows that belong together are added."""
        return self._lock

    def add_variable(self, name: str, dtype: str, shape: str) -> int:
        """Adds a variable and returns its number; `shape` is a JSON array or `null`."""
        with self._lock:
            variable = Variable(len(self._variables), name, dtype, shape)
            self._variables.append(variable)
            if self._sink is not None:
                self._sink.variable(variable)
            return variable.variable

    def stack(self, frames: tuple[RawFrame, ...]) -> int:
        """The number of the stack with these frames, outermost first."""
        known = self._stacks.get(frames)
        if known is not None:
            return known
        with self._lock:
            number = len(self._frames)
            described = tuple(self._describe(frame) for frame in self._strip(frames))
            for frame in described:
                self._add_source(frame.file)
            self._frames.append(described)
            if self._sink is not None:
                self._sink.stack(number, described)
            self._stacks[frames] = number
            return number

    def frames(self, stack: int) -> tuple[Frame, ...]:
        """The frames of a stack, outermost first."""
        return self._frames[stack]

    def _strip(self, frames: tuple[RawFrame, ...]) -> tuple[RawFrame, ...]:
        """Leaves out what is ours: the outermost frames that started the program, and our hooks between."""
        return tuple(frame for frame in frames if not self.user_code.is_own(frame[0]))

    def _describe(self, frame: RawFrame) -> Frame:
        return Frame(frame[0], frame[1], frame[2], self.user_code.is_user(frame[0]))

    def _add_source(self, file: str) -> None:
        """Keeps the text of a file at the first sight of it: it may change or vanish later."""
        if file in self._sources:
            return
        text = "".join(linecache.getlines(file))
        source = SourceFile(file, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), text)
        self._sources[file] = source
        if self._sink is not None:
            self._sink.source(source)


CATALOG = Catalog()
"""The catalog of this process."""
