"""A trap that captures a step or a call when it is asked to, whatever its numbers are, and lets all others be."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import loop_and_branch_graphs
from tensordbg.backends.tensorflow.trap.targets import results_of
from tensordbg.backends.tensorflow.trap.trapping import Trapping, set_trap, trapped_function
from tensordbg.enumeration import first_few
from tensordbg.operations.pipeline_names import program_title
from tensordbg.recording.saying import say
from tensordbg.trapping.plan import AskedCall, TrapPlan
from tensordbg.trapping.rules import AskedRules
from tensordbg.trapping.targets import RESULT

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
        name = trapped.function.name
        for pattern in [each for each in self._wanted if _is_named(name, each)]:
            if self._is_time(pattern, name):
                self._wanted.discard(pattern)
                return super()._decide(number, self._step_of(name, step), *tested)
        if any(each.role == RESULT for each in trapped.tested):
            return None
        return super()._decide(number, step, *tested) if self._take() else None

    def _is_time(self, pattern: str, name: str) -> bool:  # noqa: ARG002  for those that wait for a later call
        return True

    def _step_of(self, name: str, step: int) -> int:  # noqa: ARG002
        return step

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


class CallTrapping(AskedTrapping):
    """Captures one call of one function, and says so if there was none."""

    def __init__(self, plan: TrapPlan) -> None:
        """`plan` names the call."""
        super().__init__(replace(plan, rules=AskedRules()))
        self._call = plan.call or AskedCall("*")
        self._counted: Counter[str] = Counter()

    def start(self) -> None:
        """Waits for the call from now on."""
        super().start()
        self.ask(self._call.function)

    def tell_end(self) -> None:
        """Says so where the call never came."""
        if self.captures:
            return
        made = sum(self._counted.values())
        if made:
            why = f"it returned {made} time{'' if made == 1 else 's'}, and a call that raises is not captured"
        else:
            why = f"no function of that name was called; {self._others()}"
        say(f"{self._call.words} was not captured: {why}")

    def _others(self) -> str:
        met = {name for calls in self._calls.values() for name in calls.met if not name.startswith("_")}
        if not met:
            return "TensorFlow traced none at all, as in a program that runs eagerly"
        near = get_close_matches(self._call.function, met, n=_MOST_NAMED, cutoff=0.6)
        names = [*near, *sorted(met - set(near))]
        return f"those that were traced are {first_few(names, _MOST_NAMED)}"

    def _is_time(self, pattern: str, name: str) -> bool:  # noqa: ARG002
        self._counted[name] += 1
        return self._counted[name] == self._call.number + 1

    def _step_of(self, name: str, step: int) -> int:  # noqa: ARG002  which counts the calls of one trace
        return self._counted[name] - 1


def start_asked_trap(plan: TrapPlan) -> AskedTrapping:
    """Sets one; a trap that is set already is taken away."""
    return set_trap(AskedTrapping(plan))


def start_call_trap(plan: TrapPlan) -> CallTrapping:
    """Sets one that waits for the call that the plan names."""
    return set_trap(CallTrapping(plan))
