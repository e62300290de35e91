"""The trap: tests the loss and the gradients before an optimizer writes anything, and captures a bad step."""

from __future__ import annotations

import contextlib
import math
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from tensordbg.backends.torch.steps.backward import watch_backward
from tensordbg.backends.torch.steps.optimizers import watch_steps
from tensordbg.backends.torch.steps.scaled import ScaledSteps
from tensordbg.backends.torch.trap.all_finite import all_finite
from tensordbg.backends.torch.trap.calls import Call, Calls
from tensordbg.backends.torch.trap.capture import FoundStep, Noticed, array_of, write_step
from tensordbg.backends.torch.trap.compiled_calls import CompiledCalls
from tensordbg.backends.torch.trap.loaded import Loaded
from tensordbg.backends.torch.trap.names import program_frames
from tensordbg.backends.torch.trap.raised import BadStepError
from tensordbg.backends.torch.trap.step_log import StepLog
from tensordbg.capture.header import Trouble
from tensordbg.capture.tensors import Array
from tensordbg.health.measured import Measured
from tensordbg.recording.carried import carry
from tensordbg.recording.guard import guarded
from tensordbg.recording.saying import say
from tensordbg.trapping.capture import trouble_of
from tensordbg.trapping.message import step_words
from tensordbg.trapping.plan import OnBad, TrapFound, TrapPlan
from tensordbg.trapping.readings import Readings
from tensordbg.trapping.targets import GRADIENT, LOSS, RATE, TrapTarget


@dataclass(frozen=True)
class _Step:
    """A step that is about to be written."""

    name: str
    number: int
    tested: tuple[TrapTarget, ...]
    tensors: tuple[Any, ...]
    parameters: dict[str, Any]
    calls: list[Call]
    scale: float | None = None


@dataclass
class _Progress:
    """How far one optimizer has come."""

    steps: int = 0
    calls: int = 0
    """How many calls of modules its last step came behind."""


class _Unnoted(guarded):
    """Has code of ours run inside the program, whose operations are not among those of the step."""

    __slots__ = ("_log",)

    def __init__(self, log: StepLog, what: str, fail: Callable[[str, BaseException], None]) -> None:
        super().__init__(what, fail)
        self._log = log

    def __enter__(self) -> None:
        self._log.pause()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._log.resume()
        return super().__exit__(kind, error, trace)


class Trapping:
    """The trap of this process."""

    def __init__(self, plan: TrapPlan) -> None:
        """Prepares; `start` begins."""
        self.captures: list[Path] = []
        self._plan = plan
        self._log = StepLog()
        self._updating = False
        """Whether an optimizer writes, whose operations are none of the step."""
        self._calls = Calls(self._guard_call, self._log.begin)
        self._compiled = CompiledCalls(self._log, lambda what: guarded(what, self._fail))
        self._loaded = Loaded()
        self._readings = Readings(plan.rules)
        self._losses: list[Any] = []
        self._progress: weakref.WeakKeyDictionary[Any, _Progress] = weakref.WeakKeyDictionary()
        self._hidden: list[tuple[Any, Any]] = []
        self._undo = contextlib.ExitStack()
        self._scaled = ScaledSteps(self._left_out)
        self._made = 0

    def start(self) -> None:
        """Tests every step of every optimizer from now on; nothing where a call is asked for."""
        if self._plan.call is not None:
            return
        self._scaled.install()
        self._undo.callback(self._scaled.uninstall)
        self._undo.callback(watch_backward(self._note_losses))
        self._undo.callback(watch_steps(self._before_step, self._after_step))
        self._calls.install()
        self._undo.callback(self._calls.uninstall)
        self._undo.callback(self._loaded.watch())
        self._compiled.install()
        self._undo.callback(self._compiled.uninstall)
        self._log.start(self._fail_to_note)
        self._undo.callback(self._log.stop)
        self._log.begin()

    def stop(self) -> None:
        """Tests nothing from now on."""
        self._undo.close()
        self._losses.clear()

    def step(self, batch: Any, frame: FrameType) -> AbstractContextManager[None]:  # noqa: ARG002  see FrameworkTrap
        """Changes nothing: what an optimizer is about to write is tested in any case."""
        return contextlib.nullcontext()

    def tell_end(self) -> None:
        """Says that a call was not captured, which can be one of another framework's only."""
        if self._plan.call is not None and "tensorflow" not in sys.modules:
            say(f"{self._plan.call.words} was not captured: that is for functions of TensorFlow; leave --call out")

    def carry(self, error: BaseException) -> None:
        """Changes nothing: PyTorch hands exceptions on as they are."""

    def tell_others(self, message: str) -> None:
        """Tells nobody: the other processes of a training test the same reduced gradients."""

    def _guard(self, what: str) -> AbstractContextManager[None]:
        return _Unnoted(self._log, what, self._fail)

    def _guard_call(self, what: str) -> AbstractContextManager[None]:
        if self._updating:  # it has raised, or it calls modules again as SAM does
            self._updating = False
            self._log.wake()
        return self._guard(what)

    def _fail_to_note(self, message: str) -> None:
        say(f"warning: captures can be shown and not replayed: noting an operation failed: {message}")

    def _fail(self, what: str, error: BaseException) -> None:
        self.stop()
        say(f"warning: the trap is off: {what} failed with {type(error).__name__}: {error}; the program goes on")

    def _note_losses(self, tensors: list[Any]) -> None:
        from torch import Tensor

        with self._guard("noting a loss"):
            self._losses += [each.detach() for each in tensors if isinstance(each, Tensor) and each.numel() == 1]
            del self._losses[:-64]

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        """Tests what there is; where `step` will call a closure first, behind that."""
        if self._plan.keep and not self._progress:
            say("warning: variables are looked at in TensorFlow only, so --keep changes nothing for PyTorch")
        closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
        if not callable(closure):
            self._test(optimizer)
            self._updating = True
            self._log.sleep()
            return None

        def tested() -> Any:
            self._log.resume()
            loss = closure()
            self._test(optimizer)
            self._log.pause()
            return loss

        self._log.pause()

        return ((args[0], tested, *args[2:]), kwargs) if len(args) > 1 else (args, {**kwargs, "closure": tested})

    def _after_step(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        with self._guard("ending a step"):
            self._scaled.stepped = True
            self._show_gradients()
            self._losses.clear()
            progress = self._progress.setdefault(optimizer, _Progress())
            progress.steps += 1
            progress.calls = self._calls.number
            self._updating = False
            if self._calls.begun:
                self._log.rest()
            else:
                self._log.begin()  # nobody calls modules, so this is where the next step begins
            self._calls.forget_before(min(each.calls for each in self._progress.values()))
            self._calls.step_has_ended()

    def _left_out(self, optimizer: Any, losses: list[Any], may_be_scaled: bool) -> None:
        """Looks at a step that a `GradScaler` took: it has left it out if it found a gradient that is not finite."""
        trouble = False
        with self._guard("testing a loss that is scaled"):
            trouble = not may_be_scaled or not self._all_finite(losses)
            if losses:
                self._losses = losses
        try:
            if trouble:
                self._test(optimizer)
        finally:
            if self._scaled.stepped:
                self._show_gradients()
            else:
                self._after_step(optimizer, (), {})

    def _test(self, optimizer: Any) -> None:
        said: list[str] = []
        with self._guard("testing a step"):
            said += self._look_at(optimizer)
        if said and self._plan.on_bad is OnBad.STOP:
            error = BadStepError(said[0])
            carry(error, TrapFound(said[0]))
            raise error

    def _look_at(self, optimizer: Any) -> Iterator[str]:
        """What there is to say of a step."""
        gradients = [each.grad for group in optimizer.param_groups for each in group["params"] if each.grad is not None]
        if getattr(optimizer, "found_inf", None) is not None:
            return  # it looks itself, and leaves the step out
        self._scaled.looked_at = True
        rates = bad_rates(optimizer)
        good = not rates and self._all_finite([*self._losses, *gradients])
        if good and not self._plan.rules.any:
            return
        step = self._step_of(optimizer)
        arrays = [array_of(each) for each in step.tensors]
        kept = [(target, array) for target, array in zip(step.tested, arrays, strict=True) if array is not None]
        kept += [(TrapTarget(RATE, 0, RATE, ""), np.array(rate, np.float32)) for rate in rates[:1]]
        trouble = self._trouble(step, kept, good)
        if trouble is None:
            return
        tested = {target.name: tensor for target, tensor in zip(step.tested, step.tensors, strict=True)}
        found = FoundStep(step.name, step.number, trouble, optimizer, step.parameters, step.calls, tested)
        targets = tuple(target for target, _ in kept)
        message = step_words(step.name, step.number, targets, trouble, self._captured(found))
        if self._plan.on_bad is not OnBad.RECORD:
            self._put_back(step)
        if self._plan.on_bad is OnBad.SKIP:
            self._hide_gradients(optimizer)
        if self._plan.on_bad is not OnBad.STOP:
            say(message)
        yield message

    def _all_finite(self, tensors: Sequence[Any]) -> bool:
        finite, others = self._log.look_for_bad(tensors)
        return finite and all_finite(others)

    def _trouble(self, step: _Step, kept: Sequence[tuple[TrapTarget, Array]], good: bool) -> Trouble | None:
        targets = [target for target, _ in kept]
        measured = [Measured(array) for _, array in kept]
        bad = [i for i, each in enumerate(measured) if each.health is not None and each.health.non_finite]
        if not good:
            return trouble_of(targets, bad, measured)
        reading = self._readings.read(step, ((target.role, array) for target, array in kept))
        broken = "" if reading is None else self._plan.rules.broken_by(reading)
        if reading is None or not broken:
            if reading is not None:
                self._readings.remember(reading)
            return None
        numbers = {name: number for name, number in reading.numbers.items() if math.isfinite(number)}
        return replace(trouble_of(targets, bad, measured), kind=broken, numbers=numbers)

    def _step_of(self, optimizer: Any) -> _Step:
        progress = self._progress.setdefault(optimizer, _Progress())
        calls = self._calls.since(progress.calls)
        parameters = _named_parameters(optimizer, calls)
        modules = [call.module for call in calls if _has_any(call.module, parameters)]
        losses = [(TrapTarget(f"loss_{i}" if i else "loss", 0, LOSS, ""), each) for i, each in enumerate(self._losses)]
        gradients = [
            (TrapTarget(f"{name}.grad", 0, GRADIENT, name), each.grad)
            for name, each in parameters.items()
            if each.grad is not None
        ]
        targets, tensors = zip(*losses, *gradients, strict=True) if losses or gradients else ((), ())
        name = type(modules[0] if modules else optimizer).__name__
        return _Step(name, progress.steps, targets, tensors, parameters, calls)

    def _captured(self, found: FoundStep) -> str:
        if self._made >= self._plan.most:
            return f"not captured, as there are {self._made} captures already"
        self._made += 1
        try:
            place = write_step(
                self._plan,
                found,
                Noticed(self._calls, self._log, self._compiled.graphs, program_frames(), self._loaded.gave),
            )
        except OSError as error:
            return f"not captured: {error}"
        self.captures.append(place)
        return f"captured in {place}"

    def _put_back(self, step: _Step) -> None:
        for module in {id(call.module): call.module for call in step.calls}.values():
            self._calls.buffers(module).put_back()

    def _show_gradients(self) -> None:
        for parameter, gradient in self._hidden:
            parameter.grad = gradient
        self._hidden.clear()

    def _hide_gradients(self, optimizer: Any) -> None:
        """An optimizer leaves parameters alone that have no gradient; behind the step they have it again."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._hidden.append((parameter, parameter.grad))
                    parameter.grad = None


def _named_parameters(optimizer: Any, calls: Sequence[Call]) -> dict[str, Any]:
    """The parameters of an optimizer by their names in the modules that were called; by their place where in none."""
    known: dict[int, str] = {}
    for call in calls:
        for name, parameter in call.module.named_parameters():
            known.setdefault(id(parameter), name)
    found: dict[str, Any] = {}
    for i, group in enumerate(optimizer.param_groups):
        for j, parameter in enumerate(group["params"]):
            name = known.get(id(parameter), f"group{i}.{j}")
            found[name if name not in found else f"group{i}.{j}"] = parameter
    return found


def _has_any(module: Any, parameters: dict[str, Any]) -> bool:
    wanted = {id(each) for each in parameters.values()}
    return any(id(each) in wanted for each in module.parameters())


def bad_rates(optimizer: Any) -> list[float]:
    """The learning rates of an optimizer that are not finite; one on a GPU is not waited for."""
    rates = [group.get("lr") for group in optimizer.param_groups]
    known = (each for each in rates if isinstance(each, float) or getattr(each, "is_cpu", False))
    return [float(each) for each in known if not math.isfinite(each)]


_trapping: Trapping | None = None


def start_trap(plan: TrapPlan) -> Trapping:
    """Sets the trap; one that is set already is taken away."""
    global _trapping  # noqa: PLW0603  one trap in a process
    trap = Trapping(plan)
    if _trapping is not None:
        _trapping.stop()
    _trapping = trap
    trap.start()
    return trap
