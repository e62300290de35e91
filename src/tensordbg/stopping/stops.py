"""Stops a program in a debugger at the lines that were asked for, as soon as the tensors there have their elements."""

from __future__ import annotations

import ast
import bdb
import builtins
import enum
import os
import pdb  # noqa: T100  running a debugger is the purpose
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

from tensordbg.errors import UsageError
from tensordbg.packages import FRAMEWORKS, is_part_of
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.saying import say
from tensordbg.stopping.editors import listen_for_editor
from tensordbg.stopping.plan import StopPlace, StopPlan
from tensordbg.stopping.source import ASK, ENTER, StopLine, compile_with_stops, put_stops, stop_line

is_own = CATALOG.user_code.is_own

_OURS = ("tensordbg", "tensordbg.*")


class _Reached(enum.IntEnum):
    """How far the program has come to a place; the furthest counts."""

    NEVER = 0
    LOADED = 1
    """Its file was loaded."""
    IN_GRAPH = 2
    """It was run only while a graph was built."""
    REFUSED = 3
    """Its condition never held."""
    STOPPED = 4


class Stops:
    """The places at which this process stops."""

    def __init__(self, plan: StopPlan) -> None:
        """Prepares; `install` begins."""
        self._plan = plan
        self._process, self._folder = os.getpid(), Path.cwd()
        self._lines: dict[tuple[str, int], StopLine] = {}
        self._functions: dict[tuple[str, int], set[int]] = {}
        """By file and first line of a function the places in it."""
        self._reached = [_Reached.NEVER] * len(plan.places)
        self._refused: dict[int, str] = {}
        """Why there is no stop at a place, though its file was loaded."""
        self.around_questions: list[Callable[[], AbstractContextManager[None]]] = []
        """What is to be so while pdb asks: that nobody captures what is printed and typed, say."""
        self._enter: Callable[[FrameType], bool]
        self._enter = _Editor(plan.port) if plan.port else _Pdb(plan.places, self.around_questions)
        self.builds_graph: list[Callable[[int], bool]] = []
        """What frameworks are asked at a place: whether this thread builds a graph, in which no tensor has elements."""
        self.why_never: list[Callable[[int], str]] = []
        """What they say of a place that they have not had run eagerly, or not always; empty for nothing."""

    def install(self) -> None:
        """Has the program ask from now on, in what is compiled from now on."""
        setattr(builtins, ASK, self._ask)

    def is_of(self, file: str) -> bool:
        """Whether a source file is one that is stopped in."""
        return any(place.is_of(file) for place in self._plan.places)

    def compiled(self, source: bytes, file: str) -> CodeType | None:
        """The code of a source file that is stopped in, None for all others.

        Raises:
            UsageError: If a line of it has no code.
        """
        return compile_with_stops(source, file, self._lines_in(source, file)) if self.is_of(file) else None

    def put_into(self, tree: ast.Module, source: bytes, file: str) -> None:
        """Has a source file ask that is stopped in, and still to be compiled by somebody else.

        Raises:
            UsageError: As `compiled`.
        """
        put_stops(tree, self._lines_in(source, file))

    def _lines_in(self, source: bytes, file: str) -> list[tuple[int, int]]:
        """The lines that are stopped at in a file which is about to be loaded, each with the number of its place."""
        numbers = [number for number, place in enumerate(self._plan.places) if place.is_of(file)]
        stops = []
        for number in numbers:
            place = self._plan.places[number]
            self._come(number, _Reached.LOADED)
            try:
                line = stop_line(source, place.line, place.file)
            except UsageError as error:
                self._refused[number] = str(error)
                raise
            for first in line.functions:
                self._functions.setdefault((file, first), set()).add(number)
            stops.append((place.line, number))
        return stops

    def places_in(self, code: CodeType) -> frozenset[int]:
        """The places that are a part of a function."""
        return frozenset(self._functions.get((code.co_filename, code.co_firstlineno), ()))

    def in_graph(self, places: Iterable[int]) -> None:
        """Notes that places are a part of a graph that is built, where nobody asked."""
        for number in places:
            self._come(number, _Reached.IN_GRAPH)

    def tell_end(self) -> None:
        """Says of each place why the program never stopped there, or not each time."""
        for number, (place, reached) in enumerate(zip(self._plan.places, self._reached, strict=True)):
            said = "" if self.quitting else self._end_of(number, place, reached)
            if said:
                say(f"{self._shown(place)} {said}")

    def _end_of(self, number: int, place: StopPlace, reached: _Reached) -> str:
        left_out = next(filter(None, (each(number) for each in self.why_never)), "")
        if number in self._refused:
            return f"was never reached: {self._refused[number]}"
        if reached is _Reached.NEVER:
            return f"was never reached: the program loaded no file {Path(place.file).name}"
        if reached is _Reached.STOPPED:
            return f"was passed without a stop, too: {left_out}" if left_out else ""
        if reached is _Reached.REFUSED:
            also = f"; without tensors in hand, too: {left_out}" if left_out else ""
            return f"was never reached with {place.condition}{also}"
        why = left_out or ("it ran only while a graph was built" if reached is _Reached.IN_GRAPH else "")
        return "was never reached" + (f" with tensors in hand: {why}" if why else "")

    @property
    def quitting(self) -> bool:
        """Whether the user wants the program to end."""
        return isinstance(self._enter, _Pdb) and self._enter.quitting

    def _shown(self, place: StopPlace) -> str:
        path = Path(place.file)
        file = path.relative_to(self._folder) if path.is_relative_to(self._folder) else path
        return f"{file}:{place.line}"

    def _ask(self, number: int) -> bool:
        """Called before the line: whether its frame calls `ENTER`."""
        if os.getpid() != self._process:
            return False  # what the program has forked has no terminal
        if self.quitting:
            raise bdb.BdbQuit
        if any(each(number) for each in self.builds_graph):
            self._come(number, _Reached.IN_GRAPH)
            return False
        frame = sys._getframe(1)  # noqa: SLF001
        if not self._wanted(number, frame):
            self._come(number, _Reached.REFUSED)
            return False
        self._come(number, _Reached.STOPPED)
        return self._enter(frame)

    def _come(self, number: int, reached: _Reached) -> None:
        self._reached[number] = max(self._reached[number], reached)

    def _wanted(self, number: int, frame: FrameType) -> bool:
        condition = self._plan.places[number].condition
        try:
            return not condition or bool(eval(condition, frame.f_globals, frame.f_locals))  # the user's own words
        except Exception as error:  # noqa: BLE001  as pdb does, it stops where it can't be told
            say(f"{condition}: {type(error).__name__}: {error}")
            return True


class _Pdb:
    """Python's debugger, one for each thread that stops."""

    def __init__(self, places: tuple[StopPlace, ...], around: list[Callable[[], AbstractContextManager[None]]]) -> None:
        self._around = around
        inside = any(is_part_of(place.file, FRAMEWORKS) for place in places)
        # `step` goes into functions of the program, not into what calls them.
        frameworks = () if inside else tuple(word for name in FRAMEWORKS for word in (name, f"{name}.*"))
        self._skipped = (*_OURS, *frameworks)
        self._local = threading.local()
        self._asking = threading.RLock()
        self.quitting = False

    def __call__(self, frame: FrameType) -> bool:
        debugger = getattr(self._local, "debugger", None)
        if debugger is None:
            debugger = self._local.debugger = _Debugger(self._skipped, self._alone, self._quit)
        debugger.set_trace(frame)
        return False

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._asking, ExitStack() as stack:
            for each in self._around:
                stack.enter_context(each())
            yield

    def _quit(self) -> None:
        self.quitting = True


class _Debugger(pdb.Pdb):
    """Asks alone, also where several threads stop."""

    def __init__(
        self, skipped: tuple[str, ...], alone: Callable[[], AbstractContextManager[None]], quitting: Callable[[], None]
    ) -> None:
        super().__init__(skip=skipped, nosigint=True)
        self._alone = alone
        self._told_to_quit = quitting

    def interaction(self, frame: FrameType | None, *rest: Any) -> None:
        """See `pdb.Pdb`."""
        with self._alone():
            self.stdout = sys.stdout  # which may be another one than at the last question
            super().interaction(frame, *rest)

    def get_stack(self, f: FrameType | None, t: TracebackType | None) -> tuple[list[tuple[FrameType, int]], int]:
        """See `bdb.Bdb`; frames of what stands between the program and TensorFlow are none of the program's."""
        stack, chosen = super().get_stack(f, t)
        kept = [k for k, (frame, _) in enumerate(stack) if k == chosen or not is_own(frame.f_code.co_filename)]
        return [stack[k] for k in kept], kept.index(chosen)

    def set_stepinstr(self) -> None:
        """Stops at the next line: since Python 3.13 it would be at the next instruction, which is of the question."""
        self.set_step()

    def set_quit(self) -> None:
        """See `bdb.Bdb`."""
        self._told_to_quit()
        super().set_quit()


class _Editor:
    """Waits for an editor at the first stop."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._waiting = threading.Lock()
        self._attached = False
        self._trouble = ""

    def __call__(self, frame: FrameType) -> bool:
        """Returns once an editor is there; the frame itself stops then, unless none can attach: the program goes on."""
        import debugpy  # noqa: T100

        with self._waiting:
            if self._trouble:
                return False
            if not self._attached:
                self._trouble = listen_for_editor(self._port)
                if self._trouble:
                    say(f"--dap {self._port}: no editor can attach there ({self._trouble}); the program does not stop")
                    return False
                place = f"{frame.f_code.co_filename}:{frame.f_lineno + 1}"
                say(f"attach your editor to 127.0.0.1:{self._port}; the program waits at {place}")
                debugpy.wait_for_client()  # noqa: T100
                # It stops where it is called, so the line's own frame must do that.
                setattr(builtins, ENTER, debugpy.breakpoint)
                self._attached = True
        debugpy.debug_this_thread()
        return True
