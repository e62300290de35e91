"""The parts of a program: sites, functions, stacks, sources, variables, each with its number.

A process has one catalog for its whole life, since a graph that was instrumented once keeps its numbers. Each trace
made in that process is told what it uses, when it is first used. What a graph consisted of that is gone is forgotten
between recordings; its numbers are not given out again.
"""

from __future__ import annotations

import hashlib
import json
import linecache
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tensordbg.model import (
    DIFFERENTIATED,
    GRADIENT_FOR,
    NONE,
    WITHOUT_GRADIENT,
    Frame,
    Function,
    Site,
    SourceFile,
    Variable,
)
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


@dataclass
class _Page:
    """What one trace was told."""

    sink: CatalogSink
    sites: set[int] = field(default_factory=set)
    functions: set[int] = field(default_factory=set)
    variables: set[int] = field(default_factory=set)
    stacks: set[int] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


class Catalog:
    """Gives out the numbers, and passes to the trace being written each row before anything refers to it."""

    def __init__(self) -> None:
        self.user_code = UserCode()
        self._lock = threading.RLock()
        self._next_site = 0
        self._sites: dict[int, Site] = {}
        self._sites_of_graph: dict[int, list[int]] = {}
        self._functions: dict[int, Function] = {}
        self._functions_of_graph: dict[int, list[int]] = {}
        self._next_function = 0
        self._gone_graphs: list[int] = []
        self._function_numbers: dict[str, int] = {}
        self._variables: list[Variable] = []
        self._stacks: dict[tuple[RawFrame, ...], int] = {}
        self._frames: list[tuple[Frame, ...]] = []
        self._raw_frames: dict[RawFrame, RawFrame] = {}
        self._described: dict[RawFrame, Frame] = {}
        self._sources: dict[str, SourceFile] = {}
        self._page: _Page | None = None

    @property
    def lock(self) -> threading.RLock:
        """Held while several rows that belong together are added."""
        return self._lock

    @property
    def next_function(self) -> int:
        """The number that the next function must bear."""
        return self._next_function

    def attach(self, sink: CatalogSink) -> None:
        """Writes from now on to `sink` what is added, and of what is known already that which is used."""
        with self._lock:
            self.forget_what_is_gone()
            self._page = _Page(sink)
            for function in self._functions.values():
                # A pipeline's functions run without being called from Python; nothing tells that they are used.
                if function.name.startswith("Dataset_"):
                    self.use_function(function.function)

    def detach(self) -> None:
        """Stops writing; the numbers stay."""
        with self._lock:
            self._page = None
            self.forget_what_is_gone()

    def graph_is_gone(self, number: int) -> None:
        """Says that nothing can run a graph any more; the trace being written may still be asked for its sites.

        It may be called from wherever garbage is collected, so it takes no lock.
        """
        self._gone_graphs.append(number)

    def forget_what_is_gone(self) -> None:
        """Forgets the graphs that are gone, unless a trace is being written: it may still be asked for them."""
        with self._lock:
            while self._page is None and self._gone_graphs:
                graph = self._gone_graphs.pop()
                for site in self._sites_of_graph.pop(graph, ()):
                    del self._sites[site]
                for number in self._functions_of_graph.pop(graph, ()):
                    function = self._functions.pop(number)
                    if self._function_numbers.get(function.runtime_name) == number:
                        del self._function_numbers[function.runtime_name]

    def new_sites(self, count: int) -> int:
        """Reserves `count` consecutive site numbers and returns the first."""
        with self._lock:
            first = self._next_site
            self._next_site += count
            return first

    def add_sites(self, sites: list[Site]) -> None:
        """Adds sites whose numbers were reserved."""
        with self._lock:
            for site in sites:
                self._sites[site.site] = site
                if site.function != NONE:
                    self._sites_of_graph.setdefault(site.function, []).append(site.site)
            if self._page is not None:
                self._write_sites(self._page, sites)

    def sites_of_function(self, runtime_name: str) -> list[Site]:
        """The sites of a function's graph, by its name in the runtime; none if it is not known."""
        with self._lock:
            number = self._function_numbers.get(runtime_name)
            graph = NONE if number is None else self._functions[number].graph
            return [self._sites[site] for site in self._sites_of_graph.get(graph, ())]

    def sites_named(self, names: Collection[str]) -> list[Site]:
        """The operations of graphs that bear one of some names, perhaps with a scope's name before it."""
        ends = tuple(names)
        with self._lock:
            sites = [site for site in self._sites.values() if site.function != NONE]
        return [site for site in sites if any(name == site.name or name.endswith(f"/{site.name}") for name in ends)]

    def sites_that_write(self, variable: int) -> list[Site]:
        """The operations of all graphs that change a variable."""
        with self._lock:
            return [site for site in self._sites.values() if variable in site.writes]

    def add_function(self, function: Function) -> None:
        """Adds a function numbered by `next_function`; its sites are added before."""
        with self._lock:
            self._functions[function.function] = function
            self._functions_of_graph.setdefault(function.graph, []).append(function.function)
            self._next_function = function.function + 1
            self._function_numbers[function.runtime_name] = function.function
            self.use_function(function.function)

    def add_variable(self, name: str, dtype: str, shape: str) -> int:
        """Adds a variable and returns its number; `shape` is a JSON array or `null`."""
        with self._lock:
            self._variables.append(Variable(len(self._variables), name, dtype, shape))
            return len(self._variables) - 1

    def set_trainable(self, number: int, trainable: bool) -> None:
        """Says whether a variable is meant to be trained; a row that was written is written again where it changed."""
        with self._lock:
            if self._variables[number].trainable is trainable:
                return
            self._variables[number] = replace(self._variables[number], trainable=trainable)
            if self._page is not None and number in self._page.variables:
                self._page.sink.variable(self._variables[number])

    def set_differentiated(self, number: int, slot: int) -> None:
        """Says that gradients are taken of an output; a row that was written is written again where that is new."""
        with self._lock:
            site = self._sites.get(number)
            told = json.loads(site.attributes) if site is not None else {}
            if site is None or slot in told.get(DIFFERENTIATED, ()):
                return
            told[DIFFERENTIATED] = [*told.get(DIFFERENTIATED, ()), slot]
            self._sites[number] = replace(site, attributes=json.dumps(told))
            if self._page is not None and number in self._page.sites:
                self._page.sink.sites([self._sites[number]])

    def drop_attributes(self, number: int, names: Collection[str]) -> None:
        """Takes back attributes of a site that don't always hold; a row that was written is written again."""
        with self._lock:
            site = self._sites.get(number)
            told = json.loads(site.attributes) if site is not None else {}
            if site is None or told.keys().isdisjoint(names):
                return
            left = {name: value for name, value in told.items() if name not in names}
            self._sites[number] = replace(site, attributes=json.dumps(left))
            if self._page is not None and number in self._page.sites:
                self._page.sink.sites([self._sites[number]])

    def set_gradient_for(self, number: int, slot: int, variable: int) -> None:
        """Says that an output is the gradient of a variable; a row that was written is written again."""
        with self._lock:
            site = self._sites.get(number)
            told = json.loads(site.attributes) if site is not None else {}
            if site is None or [slot, variable] in told.get(GRADIENT_FOR, ()):
                return
            told[GRADIENT_FOR] = [*told.get(GRADIENT_FOR, ()), [slot, variable]]
            self._sites[number] = replace(site, attributes=json.dumps(told))
            if self._page is not None:
                self._write_variables(self._page, (variable,))
                if number in self._page.sites:
                    self._page.sink.sites([self._sites[number]])

    def set_without_gradient(self, steps: Mapping[int, int]) -> None:
        """Says in how many steps of their optimizer variables had no gradient; 0 takes back what was said.

        Where rows were written, they are written again.
        """
        with self._lock:
            for site in [each for each in self._sites.values() if each.reads and each.function == NONE]:
                count = steps.get(site.reads[0])
                told = json.loads(site.attributes)
                if count is None or told.get(WITHOUT_GRADIENT, 0) == count:
                    continue
                left = {name: value for name, value in told.items() if name != WITHOUT_GRADIENT}
                told = {**left, WITHOUT_GRADIENT: count} if count else left
                self._sites[site.site] = replace(site, attributes=json.dumps(told))
                if self._page is not None and site.site in self._page.sites:
                    self._page.sink.sites([self._sites[site.site]])

    def set_variable_name(self, number: int, name: str) -> None:
        """Gives a variable another name; a row that was written is written again."""
        with self._lock:
            self._variables[number] = replace(self._variables[number], name=name)
            if self._page is not None and number in self._page.variables:
                self._page.sink.variable(self._variables[number])

    def variable(self, number: int) -> Variable:
        """The variable with a number."""
        return self._variables[number]

    def site(self, number: int) -> Site:
        """The site with a number."""
        return self._sites[number]

    def function(self, number: int) -> Function:
        """The function with a number."""
        return self._functions[number]

    def stack(self, frames: tuple[RawFrame, ...]) -> int:
        """The number of the stack with these frames, outermost first."""
        known = self._stacks.get(frames)
        if known is not None:
            return known
        with self._lock:
            frames = tuple(self._raw_frames.setdefault(frame, frame) for frame in frames)
            self._frames.append(tuple(self._describe(frame) for frame in self._strip(frames)))
            self._stacks[frames] = len(self._frames) - 1
            return len(self._frames) - 1

    def adopt_stack(self, frames: tuple[Frame, ...]) -> int:
        """The number of a stack that another process described; its sources are adopted before."""
        with self._lock:
            self._frames.append(frames)
            return len(self._frames) - 1

    def adopt_source(self, source: SourceFile) -> None:
        """Keeps the text of a file as another process had it."""
        self._sources[source.file] = source

    def keep_source(self, file: str) -> None:
        """Keeps the text of a file at the first sight of it: it may change or vanish later."""
        if file not in self._sources:
            text = "".join(linecache.getlines(file))
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self._sources[file] = SourceFile(file, digest, text)

    def source(self, file: str) -> SourceFile:
        """The text of a file that a frame names."""
        return self._sources[file]

    def frames(self, stack: int) -> tuple[Frame, ...]:
        """The frames of a stack, outermost first."""
        return self._frames[stack]

    def use_site(self, number: int) -> None:
        """Sees to it that the trace knows a site which an earlier recording may have added."""
        page = self._page
        if page is not None and number not in page.sites:
            with self._lock:
                self._write_sites(page, [self._sites[number]])

    def use_variable(self, number: int) -> None:
        """Sees to it that the trace knows a variable that no site names: one handed to a function."""
        page = self._page
        if page is not None and number not in page.variables:
            with self._lock:
                self._write_variables(page, (number,))

    def use_stack(self, number: int) -> None:
        """Sees to it that the trace knows a stack that no site names."""
        page = self._page
        if page is not None and number not in page.stacks:
            with self._lock:
                self._write_stack(page, number)

    def use_function(self, number: int) -> None:
        """Sees to it that the trace knows a function, and those that it calls."""
        if self._page is not None:
            self._tell(self._page, number)

    def tell(self, number: int, sink: CatalogSink) -> None:
        """Writes a function to `sink`, with all that it consists of and those that it calls."""
        self._tell(_Page(sink), number)

    def _tell(self, page: _Page, number: int) -> None:
        if number in page.functions:
            return
        with self._lock:
            page.functions.add(number)
            function = self._functions[number]
            sites = [self._sites[site] for site in self._sites_of_graph.get(function.graph, ())]
            self._write_sites(page, [site for site in sites if site.site not in page.sites])
            self._write_variables(page, function.captures)
            self._write_stack(page, function.stack)
            for name in {name for site in sites for name in site.called}:
                if name in self._function_numbers:
                    self._tell(page, self._function_numbers[name])
            page.sink.function(function)

    def _write_sites(self, page: _Page, sites: list[Site]) -> None:
        for site in sites:
            self._write_stack(page, site.stack)
            self._write_stack(page, _forward_stack(site))
            self._write_variables(page, (*site.reads, *site.writes))
        page.sites.update(site.site for site in sites)
        if sites:
            page.sink.sites(sites)

    def _write_variables(self, page: _Page, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            if number != NONE and number not in page.variables:
                page.variables.add(number)
                page.sink.variable(self._variables[number])

    def _write_stack(self, page: _Page, number: int) -> None:
        if number == NONE or number in page.stacks:
            return
        page.stacks.add(number)
        for file in {frame.file for frame in self._frames[number]} - page.files:
            page.files.add(file)
            page.sink.source(self._sources[file])
        page.sink.stack(number, self._frames[number])

    def _strip(self, frames: tuple[RawFrame, ...]) -> tuple[RawFrame, ...]:
        """Leaves out what is ours: the outermost frames that started the program, and our hooks between."""
        return tuple(frame for frame in frames if not self.user_code.is_own(frame[0]))

    def _describe(self, frame: RawFrame) -> Frame:
        """One object for all stacks that have the frame: most of their frames are the same."""
        known = self._described.get(frame)
        if known is None:
            known = self._described[frame] = Frame(frame[0], frame[1], frame[2], self.user_code.is_user(frame[0]))
            self.keep_source(frame[0])
        return known


CATALOG = Catalog()
"""The catalog of this process."""


def _forward_stack(site: Site) -> int:
    """The stack that the attributes of a gradient name, of a forward operation without a site; `NONE` of all others."""
    if '"forward"' not in site.attributes:
        return NONE
    told = json.loads(site.attributes).get("forward")
    return int(told["stack"]) if isinstance(told, dict) else NONE
