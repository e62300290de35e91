"""The trap: tests the loss and the gradients of each step before anything is written, and captures a bad step."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from tensordbg import _native
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.instrument import XLA_NOTE, listed
from tensordbg.backends.tensorflow.handles import handles_of, handles_of_tables, read_handle
from tensordbg.backends.tensorflow.hooks import framework_library, hooks
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, copied, measured_of
from tensordbg.backends.tensorflow.trap.beginnings import has_beginning, place_beginning
from tensordbg.backends.tensorflow.trap.capture import origins_of_batch, reading, surroundings
from tensordbg.backends.tensorflow.trap.cluster import report_to_cluster, reported
from tensordbg.backends.tensorflow.trap.compiled import place_around
from tensordbg.backends.tensorflow.trap.delivery import Delivery
from tensordbg.backends.tensorflow.trap.eager.capture import EagerStep, write_step
from tensordbg.backends.tensorflow.trap.eager.graph import Target
from tensordbg.backends.tensorflow.trap.eager.steps import EagerSteps
from tensordbg.backends.tensorflow.trap.exchanges import reduced_gradients
from tensordbg.backends.tensorflow.trap.gates import GATES
from tensordbg.backends.tensorflow.trap.nodes import TrapPlacer, late_writers
from tensordbg.backends.tensorflow.trap.progress import Progress
from tensordbg.backends.tensorflow.trap.sessions import SessionSteps
from tensordbg.backends.tensorflow.trap.tables import reading_tables
from tensordbg.backends.tensorflow.trap.targets import NotedTargets, computes_gradients, named_targets
from tensordbg.capture.header import Trouble
from tensordbg.recording.carried import ON_THE_WAY, carry
from tensordbg.recording.guard import guarded
from tensordbg.recording.saying import say
from tensordbg.trapping.capture import BadStep, Saved, Surroundings, TrappedFunction, make_capture, trouble_of
from tensordbg.trapping.message import batch_words, message_of, message_of_lost
from tensordbg.trapping.plan import MARK, OnBad, TrapFound, TrapPlan
from tensordbg.trapping.rules import StepReading
from tensordbg.trapping.snapshots import NEVER, Snapshots
from tensordbg.trapping.targets import BEGINNING, GRADIENT, LOWEST_SCALE, REDUCED, RESULT, SCALE, VARIABLE, TrapTarget


class Trapping:
    """The traps of this process: an instrument of functions."""

    def __init__(self, plan: TrapPlan) -> None:
        """Prepares; `start` begins."""
        self._plan = plan
        self._active = False
        self._notes = NotedTargets(self.guard)
        self._progress = Progress(self.guard)
        self._delivery = Delivery()
        self._sessions = SessionSteps(self.guard, _warn)
        self._eager = EagerSteps(self._judge_eager, plan.rules, self.guard)
        self._gates = GATES if plan.on_bad is OnBad.SKIP else None
        # Inside of what XLA compiles nothing can be asked, and nothing be written after all.
        self._compiles = plan.on_bad is not OnBad.RECORD and not plan.rules.any and not plan.keep
        self.kind = f"trap to {plan.on_bad.value}{'' if self._compiles else ', without XLA'}"
        self._earlier: list[tuple[str, weakref.ref[Any]]] | None = None
        self._snapshots = Snapshots(_TRAPPED, copied)
        self._captures = 0
        self.captures: list[Path] = []
        """Those that were made."""
        self._lock = threading.RLock()

    @property
    def active(self) -> bool:
        """Whether steps are tested."""
        return self._active

    def start(self) -> None:
        """Has every step tested from now on whose function is traced from now on.

        Raises:
            RuntimeError: If this TensorFlow lacks a function of its C API that the trap needs.
        """
        _native.register_tensorflow_trap(framework_library())
        rules = self._plan.rules
        _native.start_trapping(
            self._decide, rules.loss_jump, rules.loss_window, rules.gradient_norm, rules.predicate is not None
        )
        if self._plan.keep:
            _native.start_looking(self._look, self._lost, self._plan.keep)
        self._active = True
        self._notes.install()
        self._progress.install()
        self._delivery.install()
        self._eager.install()
        self._sessions.install()
        earlier: list[tuple[str, weakref.ref[Any]]] = []
        self._earlier = earlier
        hooks().functions.add(self)
        self._earlier = None
        _warn_of(earlier)

    def stop(self) -> None:
        """Tests nothing from now on."""
        with self._lock:
            if self._active:
                self._active = False
                _native.stop_trapping()
                hooks().functions.remove(self)
                self._sessions.uninstall()
                self._eager.uninstall()
                self._delivery.uninstall()
                self._progress.uninstall()
                self._notes.uninstall()

    def wants(self, graph: Any, definition: Any) -> bool:
        """Functions that compute gradients, and those that call one that does."""
        if not self._active:
            return False
        if self._notes.of(graph):
            return True
        if self._earlier is not None and computes_gradients(definition):
            self._earlier.append((str(graph.name), weakref.ref(graph)))
        return any(name in _TRAPPING for node in definition.node_def for name in fd.called_functions(node))

    def add_nodes(self, definition: Any, described: Description) -> None:
        """A trap, where the function computes gradients."""
        self.add_trap(definition, described, self._notes.of(described.graph))

    def tests(self, graph: Any) -> bool:
        """Whether a loss or a gradient was noted of a graph."""
        return bool(self._notes.of(graph))

    def tell_end(self) -> None:
        """Called when the program has ended; what was found has been said."""

    def add_trap(self, definition: Any, described: Description, noted: Sequence[TrapTarget]) -> None:
        """A trap that tests what was noted of a function's graph, where there is anything."""
        _TRAPPING.add(described.function.runtime_name)
        compiled = XLA_NOTE in described.function.notes
        tested = named_targets(definition, described, noted)
        if compiled and not (tested and self._compiles):
            self.warn(f"{described.function.name} was meant to be compiled by XLA; it runs without the compilation")
        if not tested:
            return
        if not compiled:
            late = late_writers(definition, [tensor for tensor, _, _ in tested])
            tested = [*tested, *reduced_gradients(definition, described, tested, late)]
        tensors = [(tensor, dtype) for tensor, dtype, _ in tested]
        with self._lock:
            roles = [each.role for _, _, each in tested]
            if compiled and self._compiles:
                point = place_around(definition, tensors, roles, len(_TRAPPED))
            else:
                point = TrapPlacer(definition, tensors, roles).place(len(_TRAPPED), self._gates)
            _note_trap(described, [each for _, _, each in tested], point.saved)

    def add_beginning(self, definition: Any, described: Description) -> None:
        """A trap at the beginning of a function, unless it has one."""
        with self._lock:
            if not has_beginning(definition):
                begun = TrapTarget("", 0, BEGINNING, "")
                _note_trap(described, [begun], place_beginning(definition, len(_TRAPPED)))

    def warn(self, message: str) -> None:
        """On standard error; of functions that were made earlier `start` says what there is to be said."""
        if self._earlier is None:
            _warn(message)

    def guard(self, what: str) -> AbstractContextManager[None]:
        """Runs code of ours inside the user's program: a fault in it ends the trap, never the program."""
        return guarded(what, self._fail)

    def _fail(self, what: str, error: BaseException) -> None:
        if self._active:
            self.stop()
            _warn(f"the trap is off: {what} failed with {type(error).__name__}: {error}; the program goes on")

    def _decide(
        self,
        number: int,
        step: int,
        bad: Sequence[int],
        reading: tuple[float, float, float],
        tested: Sequence[RawTensor],
        saved: Sequence[RawTensor | None],
    ) -> str | bool | None:
        """Called from the step: None lets it be, False leaves it out, a message ends it."""
        said: list[str] = []
        with self.guard("capturing a step"), self._lock:
            trapped = _TRAPPED[number]
            if _is_overflow_of_scaled(trapped, bad, tested):
                return None
            if bad and self._delivery.message:
                return self._delivery.message
            trouble = trouble_of(trapped.tested, bad, [measured_of(each) for each in tested])
            if not bad:
                read = StepReading(trapped.function.name, step, *reading)
                broken = self._plan.rules.broken_by(read)
                if not broken:
                    return None
                numbers = {} if any(each.role == RESULT for each in trapped.tested) else finite(read.numbers)
                trouble = replace(trouble, kind=broken, numbers=numbers)
            found = BadStep(step, trouble, tuple(copied(each) for each in saved), self._progress.reached)
            said.append(message_of(trapped, found, self._captured(trapped, found)))
            if self._plan.on_bad is OnBad.STOP:
                self._delivery.message = said[0]
        return self._answer(said[0]) if said else None

    def _look(self, number: int, step: int, saved: Sequence[RawTensor | None]) -> int:
        """Called from a step, before it writes anything: after how many steps to look again; -1 at trouble."""
        found: list[int] = []
        with self.guard("looking at the variables"), self._lock:
            found.append(self._snapshots.look(number, step, saved))
        return found[0] if found else NEVER

    def _lost(self, number: int, step: int, steps: Sequence[Sequence[RawTensor | None]]) -> str | None:
        """Called from the same step where a variable has gone bad since the last look; a message ends the program."""
        answer: str | bool | None = None
        with self.guard("capturing steps"), self._lock:
            trapped, first = _TRAPPED[number], self._snapshots.last(number)
            given = [tuple(copied(each) for each in saved) for saved in steps]
            self._snapshots.forget(number)
            found = BadStep(
                first.step,
                Trouble(VARIABLE, self._snapshots.found),
                given[0] if given else (),
                self._progress.reached,
                first.variables,
                tuple(given[1:]),
            )
            captured = self._captured(trapped, found) if given else "not captured, as the batches took too much room"
            answer = self._answer(message_of_lost(trapped, found, step, captured))
        return answer if isinstance(answer, str) else None

    def _judge_eager(self, step: EagerStep, tested: Sequence[Target], reading: StepReading | None) -> str | bool | None:
        """The same of a step that ran eagerly."""
        with self._lock:
            try:
                written = write_step(step, tested, self._notes, _TRAPPED, read_handle)
            except Exception as error:  # noqa: BLE001  whatever can't be in a graph, the step is bad
                why = f"not captured, as it can't be written as a graph: {first_line(error)}"
                return self._answer(
                    f"{MARK}: step {step.number} of {step.name}: the loss or a gradient is not finite; {why}"
                )
            found = replace(written.bad, reached=self._progress.reached)
            if reading is not None:
                broken = self._plan.rules.broken_by(reading)
                found = replace(found, trouble=replace(found.trouble, kind=broken, numbers=finite(reading.numbers)))
            return self._answer(message_of(written.trapped, found, self._captured(written.trapped, found)))

    def step(self, batch: Any, frame: FrameType) -> AbstractContextManager[None]:
        """See `tensordbg.trapping.session.Trap.step`; `frame` is where the step begins."""
        import tensorflow as tf  # imported by the program already

        tensors = [each for each in tf.nest.flatten(batch) if tf.is_tensor(each)]
        return self._eager.block(tensors, frame)

    def carry(self, error: BaseException) -> None:
        """Has an error of TensorFlow carry what this process has found, or another has told it, if it holds that."""
        sent = ON_THE_WAY.within(str(error))
        if sent is not None and isinstance(sent.found, TrapFound):
            carry(error, sent.found)
        elif reported(error):
            carry(error, TrapFound(reported(error)))

    def tell_others(self, message: str) -> None:
        """Ends the other workers of a strategy with a message, which would else wait for this one."""
        report_to_cluster(message)

    def _answer(self, message: str) -> str | bool | None:
        if self._plan.on_bad is OnBad.STOP:
            return ON_THE_WAY.send(message, TrapFound(message))
        say(message)
        return None if self._plan.on_bad is OnBad.RECORD else False

    def _captured(self, trapped: TrappedFunction, found: BadStep, around: Surroundings | None = None) -> str:
        """Where the capture is, or why there is none; `around` as it was before, where it is known."""
        if self._captures >= self._plan.most:
            return f"not captured, as there are {self._captures} captures already"
        self._captures += 1
        try:
            plain = hooks().functions.plain_definition
            place = make_capture(self._plan, trapped, found, around or surroundings(trapped, plain))
        except OSError as error:
            return f"not captured: {error}"
        self.captures.append(place)
        # Of several steps it is not known yet which one did it.
        came_from = "" if found.later else batch_words(found.saved, origins_of_batch(found.saved))
        return f"captured in {place}{came_from}"


_TRAPPED: list[TrappedFunction] = []
"""The functions of this process that have a trap, by its number; they keep it for a later one."""

_TRAPPING: set[str] = set()
"""The names of these in the runtime, and of those that call one, which can't be compiled by XLA."""


def _note_trap(described: Description, targets: Sequence[TrapTarget], saved: tuple[Saved, ...]) -> None:
    """Keeps the trap that was added to a function as that of the next number."""
    read = reading(handles_of(described.graph))
    tables = reading_tables(handles_of_tables(described.graph))
    _TRAPPED.append(TrappedFunction(described.function, tuple(targets), saved, read, tables))


def _is_overflow_of_scaled(trapped: TrappedFunction, bad: Sequence[int], tested: Sequence[RawTensor]) -> bool:
    """Whether the optimizer leaves the step out itself, and takes a smaller scale next time."""
    roles = [each.role for each in trapped.tested]
    if not bad or SCALE not in roles or not all(roles[position] in {GRADIENT, REDUCED} for position in bad):
        return False
    return float(measured_of(tested[roles.index(SCALE)]).array) > LOWEST_SCALE


def finite(numbers: dict[str, float]) -> dict[str, float]:
    """Those that JSON has."""
    return {name: number for name, number in numbers.items() if math.isfinite(number)}


def first_line(error: BaseException) -> str:
    """The first line of an error."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _warn_of(earlier: list[tuple[str, weakref.ref[Any]]]) -> None:
    """Names functions that can't be tested, unless they are about to vanish."""
    if earlier:
        gc.collect()
    names = [name for name, graph in earlier if graph() is not None]
    if names:
        _warn(f"{listed(names)}: traced before the trap was set, so not tested; set the trap before the first call")


def _warn(message: str) -> None:
    say(f"warning: {message}")


_trapping: Trapping | None = None
Set = TypeVar("Set", bound=Trapping)


def begins(trapped: TrappedFunction) -> bool:
    """Whether a trap is one at the beginning of a function."""
    return trapped.tested[0].role == BEGINNING


def trapped_function(number: int) -> TrappedFunction:
    """The function that a trap of this process is in."""
    return _TRAPPED[number]


def start_trap(plan: TrapPlan) -> Trapping:
    """Sets the trap; one that is set already is taken away."""
    return set_trap(Trapping(plan))


def set_trap(trap: Set) -> Set:
    """Sets a trap that is made already."""
    global _trapping  # noqa: PLW0603  one trap in a process
    if _trapping is not None:
        _trapping.stop()
    _trapping = trap
    trap.start()
    return trap
