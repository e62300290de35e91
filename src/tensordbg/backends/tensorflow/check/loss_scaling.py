"""Gradients that overflow under a loss scale: Keras' `LossScaleOptimizer` looks at them, and leaves the step out.

Overflow is how it finds its scale, so a program that trains in half precision meets it in its first steps. What else is
wrong in a backward pass ends the program all the same: a gradient that divides by zero has no scale.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import PurePath
from typing import Any

from tensordbg.backends.tensorflow.methods import KERAS_LOSS_SCALE, Method, ReplacedMethods
from tensordbg.checking.finding import Finding
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Role

_DIFFERENTIATING = ("/tensorflow/python/eager/imperative_grad.py", "/tensorflow/python/eager/backprop.py")
_HALF = frozenset({"bfloat16", "float16"})
_UNBOUNDED = (Role.LOGARITHM, Role.ROOT, Role.DIVISOR, Role.FORWARD_DIVISOR, Role.DENOMINATOR)
"""Operands at whose zero a result is infinite, whatever the scale."""


class LossScaling:
    """Knows whether a loss of this process is scaled."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """`guard` runs code of ours inside the program."""
        self._methods = ReplacedMethods(guard)
        self._scaled = False

    def install(self) -> None:
        """Looks on from now on."""
        self._methods.install(Method(KERAS_LOSS_SCALE, "LossScaleOptimizer.scale_loss", self._watching))

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._methods.uninstall()

    def catches(self, finding: Finding) -> bool:
        """Whether a finding is in a gradient of a scaled loss, and may be the scale's doing."""
        if not self._scaled or not _is_gradient(finding):
            return False
        measured = [each.measured for each in finding.inputs]
        if any(each is not None and each.bad_index is not None for each in measured):
            return True  # what it takes was let pass before
        health = finding.tensor.health
        overflows = health is not None and not health.nan and finding.tensor.array.dtype.name in _HALF
        return overflows and not _is_unbounded(finding)

    def _watching(self, plain: Any) -> Any:
        def scale_loss(optimizer: Any, loss: Any) -> Any:
            self._scaled = True
            return plain(optimizer, loss)

        return scale_loss


def _is_gradient(finding: Finding) -> bool:
    files = (PurePath(frame.file).as_posix() for frame in finding.frames)
    return finding.forward is not None or any(file.endswith(_DIFFERENTIATING) for file in files)


def _is_unbounded(finding: Finding) -> bool:
    """Whether an operand is 0 at which the operation has no finite value."""
    of = operation(TENSORFLOW, finding.op_type)
    places = {of.operand(role) for role in _UNBOUNDED} - {None}
    given = [finding.inputs[place].measured for place in places if place is not None and place < len(finding.inputs)]
    return any(each is None or each.health is None or each.health.zero > 0 for each in given)
