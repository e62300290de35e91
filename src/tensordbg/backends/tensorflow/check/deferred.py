"""Bad eager values that may only be chosen from: they raise where anything but a choice takes them.

Eagerly `tf.where(p > 0, tf.math.log(p), 0.0)` computes the logarithm before anybody knows what will become of it. Where
code on the stack goes on to choose, a bad value is let go on through arithmetic. What a choice takes of it
is free again if it is finite. All else that takes the value or what was made of it raises what was found when it was
made: a variable, a function, a gradient, Python that reads it. What nothing ever takes is nothing.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.chosen import (
    ASKING,
    CHOOSING,
    PASSING_PLACES,
    TAKEN_BY_PLACE,
    has_no_effects,
)
from tensordbg.backends.tensorflow.eager.buffer_reads import unwatch_buffers, watch_buffers
from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.eager.recording import FUNCTION_NAMES
from tensordbg.backends.tensorflow.eager.tape_frames import taped_operation
from tensordbg.backends.tensorflow.eager.tensors import flat, results_of
from tensordbg.backends.tensorflow.internals import eager_tensors, imperative_grad, pywrap_tfe
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.checking.choosing_code import callers, goes_on_to_choose
from tensordbg.checking.finding import Finding
from tensordbg.packages import FRAMEWORKS, is_part_of
from tensordbg.recording.usercode import UserCode

_READING = ("_numpy", "_copy_nograd")
"""By which Python reads an eager tensor, see `eager/reads.py`."""

_RAISING_ITSELF = frozenset({"CheckNumerics", "CheckNumericsV2"})

_PLACES = "_tensordbg_places"
"""Our mark on the places at which truth values are true."""

Raising = Callable[[Finding], Exception]
"""The exception for a finding."""


@dataclass(frozen=True)
class Taken:
    """Something bad that an operation takes."""

    finding: Finding
    """What was found where it was made."""
    raises: bool
    """Whether the operation may not have it."""


class Deferred:
    """The bad values of this process that nothing but arithmetic has taken yet."""

    def __init__(self, user_code: UserCode, raising: Raising) -> None:
        """Takes what tells the program's own code, and makes the exceptions."""
        self._user_code = user_code
        self._raising = raising
        self._entries: Entries
        self._replaced = ReplacedAttributes()
        self.live: dict[int, tuple[weakref.ref[Any], Finding]] = {}
        """By the identity of a tensor what was found when it, or what it was made of, was made."""

    def install(self, entries: Entries) -> None:
        """Looks on at what reads values from now on, but for work of ours, which `entries` knows."""
        self._entries = entries
        _, base = eager_tensors()
        for name in _READING:
            self._replaced.replace(base, name, self._before_first)
        self._replaced.replace(pywrap_tfe, "TFE_ToDlpackCapsule", self._before_first)
        self._replaced.replace(imperative_grad, "imperative_grad", self._before_gradient)
        watch_buffers(self.live, self._raise_soon)

    def uninstall(self) -> None:
        """Looks on no longer, and forgets all."""
        if self._replaced:
            unwatch_buffers(self.live)
            self._replaced.restore()
        self.live.clear()

    def begins(self, finding: Finding, tensor: Any, frame: FrameType | None) -> bool:
        """Whether a bad value waits for what will take it, since code on the stack may choose from it."""
        if finding.forward is not None or not self._replaced or not self._may_choose(frame):
            return False
        self._add(tensor, finding)
        return True

    def taken(self, op_type: str, args: Sequence[Any]) -> Taken | None:
        """Returns the bad value behind what an operation that is about to run takes; None where there is none."""
        found = self._behind(args)
        if found is None:
            return None
        if op_type in ASKING or self._chooses(op_type, args):
            return Taken(found, raises=False)
        for_good = op_type.startswith(FUNCTION_NAMES) or op_type in _RAISING_ITSELF or not has_no_effects(op_type)
        return Taken(found, for_good or taped_operation(sys._getframe(1), self._user_code) is not None)  # noqa: SLF001

    def hand_on(self, taken: Taken, op_type: str, args: Sequence[Any], result: Any) -> Taken:
        """Marks what an operation made of such operands, unless that is no floating-point number any more."""
        if op_type in ASKING:
            return taken
        outputs = results_of(result) if isinstance(result, (list, tuple)) else (result,)
        if any(tensor._datatype_enum() not in dtypes.FLOATS for tensor in outputs):  # noqa: SLF001
            return replace(taken, raises=True)
        chooses = self._chooses(op_type, args)
        for tensor in outputs:
            if not chooses or not self._is_finite(tensor):
                self._add(tensor, taken.finding)
        return taken

    def error_of(self, taken: Taken) -> Exception:
        """The exception."""
        return self._raising(taken.finding)

    def _is_finite(self, tensor: Any) -> bool:
        """Whether a tensor is; to look at it counts as no reading."""
        with self._entries.bypass():
            dtype = tensor._datatype_enum()  # noqa: SLF001
            array = tensor if dtype not in dtypes.AS_BYTES else tensor.numpy().view(dtypes.AS_BYTES[dtype])
            return bool(_native.all_finite(array, dtypes.TRACE_NUMBERS[dtype]))

    def _may_choose(self, frame: FrameType | None) -> bool:
        """Whether code on the stack that is not TensorFlow's nor Keras' goes on to choose among elements."""
        files = (each.f_code.co_filename for each in callers(frame) if goes_on_to_choose(each))
        return any(self._user_code.is_user(file) or not is_part_of(file, FRAMEWORKS) for file in files)

    def _add(self, tensor: Any, finding: Finding) -> None:
        key, live = id(tensor), self.live
        live[key] = (weakref.ref(tensor, lambda _: live.pop(key, None)), finding)

    def _behind(self, args: Sequence[Any]) -> Finding | None:
        live = self.live
        return next((live[id(each)][1] for each in flat(args) if id(each) in live), None)

    def _chooses(self, op_type: str, args: Sequence[Any]) -> bool:
        """Whether an operation drops elements of those of its operands that are bad, and of these alone."""
        places = CHOOSING.get(op_type, ())
        if op_type in TAKEN_BY_PLACE and hasattr(args[1], _PLACES):
            places = (0,)
        others = [each for place, each in enumerate(args) if place not in places]
        return bool(places) and self._behind(others) is None

    def _before_first(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        live = self.live

        def reading(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if live and id(tensor) in live and not self._entries.bypassed:
                raise self._raising(live[id(tensor)][1])
            return plain(tensor, *args, **kwargs)

        return reading

    def _before_gradient(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """A gradient of what is bad is not computed."""

        def gradient(tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            found = self._behind(target) if self.live else None
            if found is not None:
                raise self._raising(found)
            return plain(tape, target, *args, **kwargs)

        return gradient

    def _raise_soon(self, tensor: Any) -> None:
        """Raises behind the call that reads the memory of a tensor, which can't raise itself."""
        known = self.live.get(id(tensor))
        if known is None or self._entries.bypassed:
            return
        error, before = self._raising(known[1]), sys.getprofile()
        is_own = self._user_code.is_own
        readers = [each for each in callers(sys._getframe(1)) if not is_own(each.f_code.co_filename)]  # noqa: SLF001

        def look(frame: FrameType, _: str, __: Any) -> None:
            if any(frame is each for each in readers):  # and not what only runs in between, as a destructor
                readers.clear()
                sys.setprofile(before)
                raise error

        sys.setprofile(look)


def note_places(op_type: str, args: Sequence[Any], result: Any) -> None:
    """Marks the places at which truth values are true, which `tf.boolean_mask` and the like take elements by."""
    if op_type == "Where" or (op_type in PASSING_PLACES and hasattr(args[0], _PLACES)):
        setattr(result, _PLACES, True)
