"""Ends a PyTorch program at the operation that makes the first bad number."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from tensordbg.allowed import AllowRule, applicable, rules_of
from tensordbg.backends.torch.building import CHECKER, BuildError, build, installed, load
from tensordbg.backends.torch.check.compiled import CompiledChecks
from tensordbg.backends.torch.check.findings import Bad, Place, RawTensor, finding_of, in_program
from tensordbg.backends.torch.check.raised import BadNumberError, tell
from tensordbg.backends.torch.check.waiting import Waiting, Words
from tensordbg.backends.torch.gpu.measuring import CHECKING as GPUS
from tensordbg.backends.torch.steps.optimizers import watch_steps
from tensordbg.backends.torch.steps.scaling import Scaling
from tensordbg.checking.finding import Finding
from tensordbg.checking.message import Limits, found_of, limits_of, message_of
from tensordbg.recording.catalog import CATALOG, RawFrame
from tensordbg.recording.saying import say
from tensordbg.recording.settings import settings_of_program
from tensordbg.recording.usercode import is_of_inductor

_RAISE = -1
_WAITS = 16
"""What the number of a finding that waits is multiplied by."""

_INFINITIES, _NAN, _SCALED = 1, 2, 4
"""What is to pass, in the observer's numbers (`checker/states.h`)."""

_OF_PYTORCH = ("/torch/nn/init.py", "/torch/_tensor_str.py")
"""Files of PyTorch's that compute infinities on purpose: `trunc_normal_` cuts them off, printing asks for them."""

_ENGINE = "_engine_run_backward"
"""The function of PyTorch's within which gradients are computed."""

_COMPILED = (
    "  It runs in code that torch.compile has made: with TORCHDYNAMO_DISABLE=1 the first such operation is named\n"
)
"""What is said where compiled code has called the operation."""

_BEGINNING = "_make_grads"
"""The function of PyTorch's that makes the gradient of a loss by itself."""


class Checking:
    """The check of this process."""

    def __init__(self) -> None:
        self._checker: ModuleType | None = None
        self._limits = Limits()
        self._rules: tuple[AllowRule, ...] = ()
        self._scaling = Scaling()
        self._held: Words | None = None
        """What there is to say of the gradients of a scaled loss, which its scaler is about to look at."""
        self._unwatch_steps: Callable[[], None] | None = None
        self._waiting: Waiting
        self._compiled = CompiledChecks()

    def start(self, limits: Limits, rules: tuple[AllowRule, ...]) -> None:
        """Checks everything from now on, in all threads; where that is so already, under new settings.

        Raises:
            BuildError: The observer can't be built here.
        """
        import torch

        self._limits, self._rules, self._held = limits, rules, None
        if self._checker is None:
            self._checker = _load_checker()
        if self._unwatch_steps is None:
            self._unwatch_steps = watch_steps(self._before_step)
            self._scaling.install(self._looked_at)
        self._waiting = Waiting(CATALOG.user_code, self._checker.held)
        main = threading.main_thread().ident
        self._checker.start(self._judge, self._taken, self._fail, BadNumberError, main, torch._C.TensorBase)  # noqa: SLF001
        self._compiled.install(self._checker, self._raise_bad, self._fail)
        GPUS.install(self._checker, lambda why: say(f"warning: {why}"))

    def stop(self) -> None:
        """Checks nothing from now on."""
        GPUS.uninstall()
        self._compiled.uninstall()
        if self._checker is not None:
            self._checker.stop()
        if self._unwatch_steps is not None:
            self._unwatch_steps()
            self._unwatch_steps = None
            self._scaling.uninstall()

    def _judge(
        self,
        op_type: str,
        where: tuple[int, int, bool, bool, bool],
        tensor: RawTensor,
        inputs: Sequence[RawTensor],
        frames: Sequence[RawFrame],
        forward: tuple[str, Sequence[RawFrame]] | None,
    ) -> int:
        """Whether a bad output has the program end, what of it passes, or that it waits; the observer calls it."""
        place = self._compiled.place()
        if place is None:
            if any(file.endswith(_OF_PYTORCH) for file, _, _ in frames):
                return _INFINITIES | _NAN
            backward = where[2] or not frames or any(name == _ENGINE for _, _, name in frames)
            program_frames, forward = in_program(list(frames), forward if backward else None)
            place = Place(program_frames, forward, backward)
        slot, outputs, _, may_wait, for_node = where
        finding = finding_of(Bad(op_type, slot, outputs, tensor, inputs, place), CATALOG.user_code)
        return self._verdict(finding, place, may_wait=may_wait, for_node=for_node, runs_python=bool(frames))

    def _verdict(self, finding: Finding, place: Place, *, may_wait: bool, for_node: bool, runs_python: bool) -> int:
        rules = applicable(self._rules, finding.op_type, finding.module or finding.name, finding.frames)
        health = finding.tensor.health
        if any(rule.nan or (health is not None and not health.nan) for rule in rules):
            return _INFINITIES | _NAN * any(rule.nan for rule in rules)
        if place.backward and self._scaling.catches:
            self._held = self._held or self._words_of(finding, place)
            return _INFINITIES | _NAN | _SCALED
        words = self._words_of(finding, place)
        chooses = may_wait and not place.backward and self._waiting.may_choose(sys._getframe(2))  # noqa: SLF001
        if (for_node or chooses) and not place.compiled:
            return _WAITS * self._waiting.begins(words)
        self._tell(words, runs_python=runs_python)
        return _RAISE

    def _raise_bad(self, bad: Bad) -> None:
        """Raises of what compiled code has stored, unless it is to pass."""
        finding = finding_of(bad, CATALOG.user_code)
        verdict = self._verdict(finding, bad.place, may_wait=False, for_node=False, runs_python=True)
        if verdict == _RAISE:
            raise BadNumberError

    def _taken(self, number: int, asks_shape: bool, runs_python: bool) -> bool:
        """Whether a finding that waited is raised, as more than a choice takes its tensor; the observer calls it.

        What only asks for a shape takes nothing, but where it makes the gradient that a backward pass begins with.
        """
        words = self._waiting.words(number)
        if words is None or (asks_shape and sys._getframe(1).f_code.co_name != _BEGINNING):  # noqa: SLF001
            return False
        self._tell(words, runs_python=runs_python)
        return True

    def _words_of(self, finding: Finding, place: Place) -> Words:
        compiled = place.compiled
        if any(is_of_inductor(frame.file) for frame in finding.frames):
            compiled = _COMPILED
        return message_of(finding, self._limits) + compiled, found_of(finding, self._limits)

    def _tell(self, words: Words, *, runs_python: bool) -> None:
        tell(threading.get_ident() if runs_python else threading.main_thread().ident or 0, *words)

    def _looked_at(self) -> None:
        """The gradients of a scaled loss have been looked at."""
        self._held = None
        if self._checker is not None:
            self._checker.forget_scaled()

    def _before_step(self, optimizer: Any, _args: Any, _named: Any) -> None:
        """An optimizer that is about to write bad gradients was not kept from it by a scaler."""
        held = self._held
        if held is None or getattr(optimizer, "found_inf", None) is not None:
            return
        if _has_bad_gradients(optimizer):
            self._held = None
            self._tell(held, runs_python=True)
            raise BadNumberError

    def _fail(self, message: str) -> None:
        """Ends the checking because of a fault of ours, with one warning."""
        self.stop()
        say(f"warning: checking stopped: looking at an operation failed with {message}; the program goes on")


def _has_bad_gradients(optimizer: Any) -> bool:
    gradients = [
        parameter.grad
        for group in optimizer.param_groups
        for parameter in group["params"]
        if parameter.grad is not None
    ]
    return any(not bool(gradient.isfinite().all()) for gradient in gradients if not gradient.is_sparse)


def _load_checker() -> ModuleType:
    try:
        return load(build(installed(), CHECKER))
    except (BuildError, ImportError) as error:
        raise BuildError(f"{error}; `tdbg run` without --check records the program without a compiler, too") from error


_checking = Checking()


def enable_check_numerics(
    stack_height_limit: int | None = 30,
    path_length_limit: int | None = 50,
    allow: Iterable[Mapping[str, Any] | AllowRule] = (),
) -> None:
    """Has the operation that makes the first infinity or NaN raise, forward and backward, in every thread.

    Calling it again takes the new settings.

    Args:
        stack_height_limit: So many frames of a stack are shown; the program's own are shown in any case. None: all.
        path_length_limit: So many characters of a path are shown, the last ones. None: all.
        allow: Where infinities are meant: tables with the keys `op`, `name`, `line` and `nan`, see `AllowRule`; in
            addition to those in `[tool.tensordbg]` of the program's pyproject.toml.

    Raises:
        UsageError: A setting is not understood.
        BuildError: The observer can't be built here.
    """
    limits = limits_of(stack_height_limit, path_length_limit)
    _checking.start(limits, (*settings_of_program().allow, *rules_of(allow, "allow")))


def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began."""
    _checking.stop()
