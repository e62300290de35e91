"""Looks at what the kernels of `torch.compile` store, and finds the operation fused into one that made a bad number.

A kernel keeps to itself what it computes on the way. So those of its operations that lead to the bad number are run
again, eagerly, on what it was computed from, and the check looks at them as at all others, but for the lines that they
are told by: those of the program.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType, ModuleType
from typing import Any
from weakref import WeakSet

from tensordbg.backends.torch.check.findings import Bad, Place, has_health, raw
from tensordbg.backends.torch.check.raised import BadNumberError
from tensordbg.backends.torch.compiled.describing import Describer, Graph
from tensordbg.backends.torch.compiled.dynamo import compiled_codes
from tensordbg.backends.torch.compiled.internals import PROBE, WATCHED, Hooks, Stored
from tensordbg.backends.torch.compiled.probed_graphs import ProbedGraphs
from tensordbg.backends.torch.compiled.values import Values, computing
from tensordbg.model import NONE, Site
from tensordbg.recording.catalog import CATALOG, RawFrame
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.saying import say
from tensordbg.recording.usercode import is_of_inductor

_TOO_LATE = (
    "what torch.compile had compiled before the check began is not looked into; begin earlier, or call "
    "`torch._dynamo.reset()` first, which has it compiled anew"
)
_NOT_THIS_VERSION = (
    "what torch.compile compiles by Inductor is not looked into, since this version of PyTorch {}; with "
    "TORCHDYNAMO_DISABLE=1 the first bad operation is named"
)
_AGAIN = "  It was computed inside a kernel of torch.compile, and run again by itself to be found\n"
_CALLED = "  It was called by code that torch.compile has made\n"
_GONE = "  It was computed in code that torch.compile has made, and can't be run again by itself\n"
_PROBED = re.compile(rf"^\s*{PROBE}\((\d+), ")
_BEHIND = 12
"""So many lines behind the call of a kernel its result has been looked at."""


Unknown = Callable[[Site, Any, Sequence[Any]], None]
"""Takes an operation, what it stored, and what is known of what it took."""


class CompiledChecks:
    """The check of compiled code."""

    def __init__(self) -> None:
        self._describer = Describer(CATALOG)
        self._graphs = ProbedGraphs(self._describer)
        self._hooks = Hooks()
        self._watch: ImportWatch | None = None
        self._checker: ModuleType | None = None
        self._running = threading.local()
        self._before: WeakSet[CodeType] = WeakSet()
        self._seen_inside: WeakSet[CodeType] = WeakSet()
        """What was compiled while it was looked into."""

    def install(self, checker: ModuleType, raise_bad: Callable[[Bad], None], fail: Callable[[str], None]) -> None:
        """Looks into what is compiled from now on.

        Args:
            checker: Looks at operations.
            raise_bad: Is told of what can't be run again; it raises unless that is to pass.
            fail: Is told of a fault of ours.
        """
        self.uninstall()
        self._checker = checker
        self._before = compiled_codes()
        if self._before - self._seen_inside:
            say(f"warning: {_TOO_LATE}")

        def raise_unknown(site: Site, stored: Any, given: Sequence[Any]) -> None:
            inputs = [raw(each) for each in given if has_health(each)]
            raise_bad(Bad(site.op_type, 0, 1, raw(stored), inputs, _place_of(site, _GONE)))

        def on_stored(site: int, slot: int, tensor: Any) -> None:
            graph, around = self._graphs.of_site(site), sys._getframe(1)  # noqa: SLF001  the generated code
            if graph is None:
                return
            try:
                again = _Again(checker, graph, dict(around.f_locals), self._at)
                again.look(site, slot, tensor, raise_unknown)
            except BadNumberError:
                raise
            except Exception as error:  # noqa: BLE001  whatever it is, the program goes on
                fail(f"{type(error).__name__}: {error}")

        checker.watch_compiled(on_stored)
        self._watch = ImportWatch({WATCHED: self._set})
        self._watch.start()

    def uninstall(self) -> None:
        """Looks into it no longer."""
        if self._watch is not None:
            self._watch.stop()
            self._seen_inside.update(compiled_codes() - self._before)
        self._watch = None
        self._hooks.remove()
        self._checker = None

    def place(self) -> Place | None:
        """The place of the operation of a compiled graph that this thread runs; None outside of any."""
        running: Place | None = getattr(self._running, "place", None)
        return running or self._place_in_kernel()

    def _set(self) -> None:
        self._hooks.leave_out_cuda_graphs()
        self._hooks.set_or_say(self._lines, self._loaded, lambda why: say(f"warning: {_NOT_THIS_VERSION.format(why)}"))

    def _lines(self, lowering: Any, stored: list[Stored]) -> list[str]:
        if not stored or self._checker is None:
            return []
        return self._graphs.lines(lowering, stored)

    def _loaded(self, lowering: Any, module: ModuleType) -> None:
        graph = self._graphs.of_lowering(lowering)
        if graph is not None and self._checker is not None:
            self._describer.add(graph)
            module.__dict__[PROBE] = self._checker.probe

    @contextlib.contextmanager
    def _at(self, site: Site) -> Iterator[None]:
        """A block in which the thread runs this operation again."""
        self._running.place = _place_of(site, _AGAIN)
        try:
            yield
        finally:
            self._running.place = None

    def _place_in_kernel(self) -> Place | None:
        """That of an operation of PyTorch's which generated code calls: the line behind it looks at what it stores."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
        while frame is not None and not is_of_inductor(frame.f_code.co_filename):
            if CATALOG.user_code.is_user(frame.f_code.co_filename):
                return None  # an operation of the program's own, written in Python
            frame = frame.f_back
        if frame is None or PROBE not in frame.f_globals:
            return None
        lines = linecache.getlines(frame.f_code.co_filename)
        for line in lines[frame.f_lineno : frame.f_lineno + _BEHIND]:
            found = _PROBED.match(line)
            if found:
                known = self._graphs.of_site(int(found[1])) is not None
                return _place_of(CATALOG.site(int(found[1])), _CALLED) if known else None
        return None


def _place_of(site: Site, compiled: str) -> Place:
    forward = None
    if site.gradient_of != NONE:
        differentiated = CATALOG.site(site.gradient_of)
        forward = differentiated.op_type, _frames(differentiated)
    module = json.loads(site.layer)["path"] if site.layer else ""
    return Place(_frames(site), forward, bool(site.backward), compiled, module)


def _frames(site: Site) -> list[RawFrame]:
    frames = CATALOG.frames(site.stack) if site.stack != NONE else ()
    return [(frame.file, frame.line, frame.function) for frame in reversed(frames)]


class _Again:
    """What was fused into one result, run again."""

    def __init__(
        self,
        checker: ModuleType,
        graph: Graph,
        variables: dict[str, Any],
        at: Callable[[Site], contextlib.AbstractContextManager[None]],
    ) -> None:
        self._checker = checker
        self._graph = graph
        self._variables = variables
        self._at = at
        self._sites = {site.site: site for site in graph.sites}

    def look(self, site: int, slot: int, stored: Any, raise_unknown: Unknown) -> None:
        """Has the check look at each operation that leads to what is bad in a result."""
        node = next((each for each, known in self._graph.references.items() if known.site == site), None)
        if node is None:
            return
        values = Values(self._graph, self._variables, node)
        with computing():
            with self._looking_away():
                path, found = self._path(values)
            result = self._run(values, path)
        if path:
            several = isinstance(result, (list, tuple))
            self._checker.let_pass_as(stored, result[slot if found else 0] if several else result)
        elif not any(self._is_bad(value) for value in values.known.values()):
            raise_unknown(self._sites[site], stored, [values.known.get(each) for each in node.all_input_nodes])

    @contextlib.contextmanager
    def _looking_away(self) -> Iterator[None]:
        self._checker.look_away(True)
        try:
            yield
        finally:
            self._checker.look_away(False)

    def _path(self, values: Values) -> tuple[list[Any], bool]:
        """The operations through which what is bad came to a result, in order, and whether that is among them."""
        bad: set[Any] = set()

        def is_bad(node: Any, value: Any) -> bool:
            # What was stored before has been looked at there.
            if node not in values.computed or not self._is_bad(value):
                return False
            bad.add(node)
            return True

        values.walk(is_bad)
        return [node for node in self._graph.module.graph.nodes if node in bad], values.wanted in bad

    def _is_bad(self, value: Any) -> bool:
        return any(self._checker.is_bad(each) for each in (value if isinstance(value, (list, tuple)) else [value]))

    def _run(self, values: Values, path: list[Any]) -> Any:
        result = None
        for node in path:
            ref = self._graph.references.get(node)
            with self._at(self._sites[ref.site]) if ref is not None else contextlib.nullcontext():
                result = values.compute(node)
            values.known[node] = result
        return result
