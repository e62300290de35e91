"""Meets a program's first step that is as the captured one, and has it run on what was captured.

A step of PyTorch's is no function: it goes from the first call of an outermost module to the end of the optimizer's
`step`. All that the capture holds is put into the program's own tensors in between, as soon as they are there.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from tensordbg.backends.torch.captured.graph import read_graph
from tensordbg.backends.torch.replay.captured_inputs import CapturedInputs
from tensordbg.backends.torch.replay.captured_step import CapturedCall, plain_path, read_step
from tensordbg.backends.torch.replay.captured_variables import CapturedVariables
from tensordbg.backends.torch.replay.recapture import Recapturing
from tensordbg.backends.torch.steps.backward import watch_backward
from tensordbg.backends.torch.steps.optimizers import watch_steps
from tensordbg.backends.torch.steps.scaled import ScaledSteps
from tensordbg.backends.torch.trap.capture import array_of
from tensordbg.backends.torch.trap.names import program_frames
from tensordbg.capture.outcome import Reading
from tensordbg.capture.reader import Capture
from tensordbg.enumeration import first_few
from tensordbg.errors import CaptureError
from tensordbg.recording.backend import StepRun
from tensordbg.recording.saying import say
from tensordbg.replaying.program import ProgramReplay, Way
from tensordbg.replaying.reading import reading_of

_NOT_COMPILED = ("TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE")
"""Variables of the environment by which PyTorch compiles nothing."""


def meet_step(capture: Capture, plan: ProgramReplay, run: StepRun) -> None:
    """Has the program's first step that is as the captured one run on what was captured; the program ends then.

    Args:
        capture: Of the step.
        plan: How it is run.
        run: What is done with it.

    Raises:
        CaptureError: If the capture does not tell where the step begins.
    """
    _Meeting(capture, plan, run).install()


class _Meeting:
    """From the first call of a module in the step to the end of its optimizer's step."""

    def __init__(self, capture: Capture, plan: ProgramReplay, run: StepRun) -> None:
        self._capture = capture
        self._plan = plan
        self._run = run
        step = read_step(capture)
        self._calls = step.calls
        if not self._calls:
            raise CaptureError(
                f"{capture.path} is of a step that calls no module, so where it begins in its program can't be told; "
                "replay it without the program, or stop the program with `tdbg run --pdb FILE:LINE`"
            )
        if not any(call.variables for call in self._calls):
            raise CaptureError(f"{capture.path} does not tell the parameters of its modules; take another capture")
        self._variables = CapturedVariables(capture, step)
        self._inputs = CapturedInputs(capture, step)
        self._missing: list[str] = []
        self._losses: list[Any] = []
        self._next = 0
        """The number of the captured call that is awaited."""
        self._met: dict[int, Any] = {}
        """The program's modules, by the numbers of their first calls."""
        self._waits = capture.header.step > 0 and len({call.of for call in self._calls}) > 1
        """Whether the captured step begins behind an earlier one of its optimizer: where a program has several modules,
        such as those of two players, the calls behind that one come in another order than its first."""
        self._in_a_call = False
        self._inner: set[int] = set()
        self._span = contextlib.ExitStack()

    def install(self) -> None:
        """Waits for the step."""
        import torch

        if self._plan.way is not Way.CAPTURE:
            os.environ.update(dict.fromkeys(_NOT_COMPILED, "1"))
            say("PyTorch's steps run without a graph as they are; the program runs its step without torch.compile")
        module_class = torch.nn.Module
        plain = module_class.__call__

        @functools.wraps(plain)
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if self._in_a_call or not torch.is_grad_enabled() or id(module) in self._inner:
                return plain(module, *args, **kwargs)
            self._in_a_call = True
            try:
                self._meet(module, args, kwargs, sys._getframe(1))  # noqa: SLF001  a public function
                return plain(module, *args, **kwargs)
            finally:
                self._in_a_call = False

        module_class.__call__ = call  # type: ignore[method-assign]
        watch_backward(self._note_losses)
        watch_steps(self._before_step, self._after_step)
        ScaledSteps(self._left_out).install()

    def _note_losses(self, tensors: list[Any]) -> None:
        import torch

        self._losses += [each.detach() for each in tensors if isinstance(each, torch.Tensor) and each.numel() == 1]

    def _meet(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
        """Gives the program what was captured of a call, where it is one of the step's."""
        awaited = self._calls[self._next :] if self._next else self._calls[:1]
        found = next((number for number, call in enumerate(awaited, self._next) if self._is_of(call, module)), None)
        if found is None or self._waits:
            return
        self._met.setdefault(found, module)
        self._inner.update(id(each) for each in module.modules() if each is not module)
        call = self._calls[found]
        self._missing += self._variables.put_into(module, call)
        self._missing += self._inputs.give([*call.captured_among(args, kwargs)], found, program_frames())
        begins, self._next = not self._next, found + 1
        if begins:
            self._begin(frame)

    def _is_of(self, call: CapturedCall, module: Any) -> bool:
        """Whether a module is the one that was captured with a call."""
        known = self._met.get(call.of)
        return known is module if known is not None else _is_alike(call, module) and self._variables.fit(module, call)

    def _begin(self, frame: FrameType) -> None:
        self._losses.clear()
        self._variables.put_gradients(self._inputs, _summed(self._capture))
        if self._plan.way is Way.CAPTURE:
            Recapturing(self._capture, Path(self._plan.place)).begin()
        else:
            self._span.enter_context(self._run.span(frame))
        self._variables.put_random_state()

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._next and self._variables.has_trained(optimizer):
            self._variables.put_into_optimizer(optimizer)
            self._tell_missing()
            closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
            if not callable(closure):
                with _unrecorded():
                    readings = tuple(self._readings())
                self._run.tell(readings)

    def _after_step(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        """Ends the program, whatever it does about exceptions of its own."""
        if self._waits:
            self._waits = not self._variables.may_be_trained_by(optimizer)
        if self._next and self._variables.has_trained(optimizer):
            self._span.close()
            raise SystemExit(0)
        self._losses.clear()  # of the step that has ended
        self._variables.put_again(optimizer)

    def _left_out(self, optimizer: Any, _losses: Any, _may_be_scaled: bool) -> None:
        """Ends the program where a `GradScaler` has left the optimizer's step out."""
        self._before_step(optimizer, (), {})
        self._after_step(optimizer, (), {})

    def _readings(self) -> Iterator[Reading]:
        """What the tensors are in this step that the trap had tested."""
        losses = iter(self._losses)
        for each in self._capture.header.trouble.tested:
            parameter = self._variables.parameter(each.variable) if each.variable else None
            tensor = next(losses, None) if each.role == "loss" else getattr(parameter, "grad", None)
            array = None if tensor is None else array_of(tensor)
            if array is not None:
                yield reading_of(each, array)

    def _tell_missing(self) -> None:
        missing = [*dict.fromkeys([*self._missing, *self._inputs.unnoticed])]
        if missing:
            named = first_few(missing, 5)
            say(f"warning: of what was captured the program has no counterpart, and takes its own: {named}")


@contextlib.contextmanager
def _unrecorded() -> Iterator[None]:
    """A block whose operations are not the program's: observers of operations on this thread are not told of them."""
    import torch

    enable: Any = getattr(torch._C._autograd, "_enable_record_function", lambda _enabled: None)  # noqa: SLF001
    enable(False)
    try:
        yield
    finally:
        enable(True)


def _is_alike(call: CapturedCall, module: Any) -> bool:
    """Whether a module may be the captured one: of that class, or, where that was compiled, with the same variables."""
    # The script may have been run under another name.
    if call.module.endswith(f".{type(module).__qualname__}"):
        return True
    own = {plain_path(path) for path, _ in module.named_parameters()}
    return bool(own) and call.module.endswith(".OptimizedModule") and own <= set(call.variables)


def _summed(capture: Capture) -> dict[str, Any]:
    """The gradients that were tested, by their parameters, and where they lie."""
    try:
        targets = read_graph(capture).targets
    except CaptureError:
        return {}
    return {each.variable: each.at for each in targets if each.role == "gradient" and each.at is not None}
