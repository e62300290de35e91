"""A trap that captures a step or a call when it is asked to, whatever its numbers are, and lets all others be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import loop_and_branch_graphs, tracing_error
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, copied
from tensordbg.backends.tensorflow.trap.capture import surroundings
from tensordbg.backends.tensorflow.trap.targets import results_of
from tensordbg.backends.tensorflow.trap.trapping import Trapping, begins, set_trap, trapped_function
from tensordbg.capture.header import Trouble
from tensordbg.capture.tensors import Array, digest_of
from tensordbg.enumeration import first_few
from tensordbg.model import NONE
from tensordbg.operations.pipeline_names import program_title
from tensordbg.recording.saying import say
from tensordbg.trapping.capture import BadStep, Surroundings, TrappedFunction
from tensordbg.trapping.message import message_of
from tensordbg.trapping.plan import AskedCall, TrapPlan
from tensordbg.trapping.rules import RAISED, AskedRules
from tensordbg.trapping.targets import RESULT, TrapTarget

_MOST_NAMED = 10


class AskedTrapping(Trapping):
    """Tests nothing until `ask` is called; then it captures the next step, or the next call of a function."""

    def __init__(self, plan: TrapPlan) -> None:
        """`plan` lets the steps be, and calls each step bad of which it is asked."""
        super().__init__(plan)
        self._asked = False
        self._calls: dict[str, AskedCalls] = {}
        self._wanted: set[str] = set()
        """Functions a call of which is asked for."""

    def ask(self, function: str = "") -> None:
        """Has the next step captured that computes gradients; or the next call of a function of this name."""
        if not function:
            self._asked = True
            return
        self._wanted.add(function)
        if function not in self._calls:
            self._calls[function] = calls = AskedCalls(self, function)
            hooks().functions.add(calls)

    def stop(self) -> None:
        """Tests nothing from now on."""
        if self.active:
            for calls in self._calls.values():
                hooks().functions.remove(calls)
            self._calls.clear()
        super().stop()

    def warn(self, message: str) -> None:
        """Says nothing: that functions run without XLA's compilation is said by who records them."""

    def _decide(self, number: int, step: int, *tested: Any) -> str | bool | None:
        trapped = trapped_function(number)
        if begins(trapped):
            return None
        name = trapped.function.name
        for pattern in [each for each in self._wanted if _is_named(name, each)]:
            self._wanted.discard(pattern)
            return super()._decide(number, step, *tested)
        if any(each.role == RESULT for each in trapped.tested):
            return None
        return super()._decide(number, step, *tested) if self._take() else None

    def _judge_eager(self, *step: Any) -> str | bool | None:
        return super()._judge_eager(*step) if self._take() else None

    def _take(self) -> bool:
        asked, self._asked = self._asked, False
        return asked


class AskedCalls:
    """An instrument of the functions of one name: a trap in each, also where it computes no gradients."""

    def __init__(self, trapping: AskedTrapping, pattern: str) -> None:
        """`trapping` is asked at each call."""
        self._trapping = trapping
        self._pattern = pattern
        self.kind = f"trap of calls of {pattern}"
        self.met: set[str] = set()
        """The names of all functions that there are."""

    @property
    def active(self) -> bool:
        """Whether calls may still be asked for."""
        return self._trapping.active

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the trap."""
        return self._trapping.guard(what)

    def warn(self, message: str) -> None:
        """As the trap does."""
        self._trapping.warn(message)

    def wants(self, graph: Any, definition: Any) -> bool:  # noqa: ARG002  see `Instrument`
        """Those of the name that have no trap for their gradients; a loop's body bears a name of its own."""
        if isinstance(graph, loop_and_branch_graphs()):
            return False
        name = str(graph.name)
        self.met.add(program_title(name))
        return _is_named(name, self._pattern) and self.active and not self._trapping.tests(graph)

    def add_nodes(self, definition: Any, described: Description) -> None:
        """A trap that is told what the function returns."""
        self._trapping.add_trap(definition, described, results_of(described.graph))


def _is_named(name: str, pattern: str) -> bool:
    """Whether a pattern fits a function's name, that of Python or that which a pipeline gave it."""
    return fnmatchcase(name, pattern) or fnmatchcase(program_title(name), pattern)


@dataclass(frozen=True)
class _BegunCall:
    """The call that is asked for, as it began."""

    trapped: TrappedFunction
    found: BadStep
    around: Surroundings
    arguments: tuple[str, ...]
    """Digests of its arguments, by which it is known at its end."""


class CallTrapping(AskedTrapping):
    """Captures one call of one function, whether it returns or raises, and says so if there was none."""

    def __init__(self, plan: TrapPlan) -> None:
        """`plan` names the call."""
        super().__init__(replace(plan, rules=AskedRules()))
        self._call = plan.call or AskedCall("*")
        self._counted: Counter[str] = Counter()
        self._begun: _BegunCall | None = None
        self._untraced = ""
        """The error of the last tracing of the function that raised, in a line."""

    def start(self) -> None:
        """Waits for the call from now on."""
        super().start()
        hooks().functions.failed_tracings.add(self._note_untraced)
        self.ask(self._call.function)

    def stop(self) -> None:
        """Waits for none from now on."""
        if self.active:
            hooks().functions.failed_tracings.remove(self._note_untraced)
        super().stop()

    def _note_untraced(self, name: str, error: BaseException) -> None:
        with self.guard("noting that a function could not be traced"):
            if _is_named(name, self._call.function):
                _, message = tracing_error(error) or ([], str(error))
                first = next((" ".join(line.split()) for line in message.splitlines() if line.strip()), "")
                kind = f"{type(error).__name__}: "
                self._untraced = kind + first.removeprefix(kind)

    def add_trap(self, definition: Any, described: Description, noted: Sequence[TrapTarget]) -> None:
        """Also one at the beginning of the functions of the name, which counts the calls."""
        super().add_trap(definition, described, noted)
        if _is_named(str(described.graph.name), self._call.function):
            self.add_beginning(definition, described)

    def tell_end(self) -> None:
        """Captures the call that did not return; says so where it never came."""
        with self.guard("capturing a call"), self._lock:
            self._capture_begun()
        if self.captures:
            return
        made = sum(self._counted.values())
        why = f"it was called {made} time{'' if made == 1 else 's'}"
        if self._untraced:
            before = f"{why}, and its" if made else "its"
            why = (
                f"{before} tracing raised {self._untraced}; a call that can't be traced runs nothing that could be "
                "captured, `tdbg run` says what it was given"
            )
        elif not made:
            why = f"no function of that name was called; {self._others()}"
        say(f"{self._call.words} was not captured: {why}")

    def _others(self) -> str:
        met = {name for calls in self._calls.values() for name in calls.met if not name.startswith("_")}
        if not met:
            return "TensorFlow traced none at all, as in a program that runs eagerly"
        near = get_close_matches(self._call.function, met, n=_MOST_NAMED, cutoff=0.6)
        names = [*near, *sorted(met - set(near))]
        return f"those that were traced are {first_few(names, _MOST_NAMED)}"

    def _decide(
        self,
        number: int,
        step: int,  # noqa: ARG002  which counts those of one trace that got so far
        bad: Sequence[int],
        reading: tuple[float, float, float],
        tested: Sequence[RawTensor],
        saved: Sequence[RawTensor | None],
    ) -> str | bool | None:
        trapped = trapped_function(number)
        with self.guard("following a call"), self._lock:
            if begins(trapped):
                self._begin(trapped, saved)
                return None
            begun = self._begun
            if begun is None or not _is_of(begun, trapped, [copied(each) for each in saved]):
                return None
            self._begun = None
            return super(AskedTrapping, self)._decide(number, begun.found.step, bad, reading, tested, saved)

    def _begin(self, trapped: TrappedFunction, saved: Sequence[RawTensor | None]) -> None:
        """Counts a call that begins, and keeps it if it is the one."""
        name = trapped.function.name
        self._counted[name] += 1
        arrays = tuple(copied(each) for each in saved) if self._begun or self._is_due(name) else ()
        if self._begun is not None and _is_of(self._begun, trapped, arrays):
            self._capture_begun()  # its end could not be told from that of this one
        if self._is_due(name):
            numbers = enumerate(trapped.function.captures)
            read = {argument: trapped.read(number) for argument, number in numbers if number != NONE}
            variables = {argument: array for argument, array in read.items() if array is not None}
            found = BadStep(self._counted[name] - 1, Trouble(RAISED, ()), arrays, self._progress.reached, variables)
            around = surroundings(trapped, hooks().functions.plain_definition)
            self._begun = _BegunCall(trapped, found, around, _digests(trapped, arrays))

    def _is_due(self, name: str) -> bool:
        return not self.captures and self._begun is None and self._counted[name] == self._call.number + 1

    def _capture_begun(self) -> None:
        begun, self._begun = self._begun, None
        if begun is not None:
            said = self._captured(begun.trapped, begun.found, begun.around)
            say(message_of(begun.trapped, begun.found, said))


def _is_of(begun: _BegunCall, trapped: TrappedFunction, saved: Sequence[Array | None]) -> bool:
    """Whether a trap in the same function was given the same."""
    is_same = trapped.function.runtime_name == begun.trapped.function.runtime_name
    return is_same and _digests(trapped, saved) == begun.arguments


def _digests(trapped: TrappedFunction, saved: Sequence[Array | None]) -> tuple[str, ...]:
    arguments = (array for each, array in zip(trapped.saved, saved, strict=True) if each.kind == "argument")
    return tuple("" if array is None else digest_of(array) for array in arguments)


def start_asked_trap(plan: TrapPlan) -> AskedTrapping:
    """Sets one; a trap that is set already is taken away."""
    return set_trap(AskedTrapping(plan))


def start_call_trap(plan: TrapPlan) -> CallTrapping:
    """Sets one that waits for the call that the plan names."""
    return set_trap(CallTrapping(plan))
