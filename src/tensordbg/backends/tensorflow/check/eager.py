"""Checks what eager operations put out, before the program goes on, and what constants hold.

Every operation runs through here, in every thread; while its outputs are finite, each is read once and that is all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import numpy as np

from tensordbg import _native
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.by_design import is_of_tensorflow, is_written, is_written_by_tensorflow
from tensordbg.backends.tensorflow.check.deferred import Deferred, Taken, note_places
from tensordbg.backends.tensorflow.check.latent import MOVING
from tensordbg.backends.tensorflow.check.tables import SAFE, UNCHECKED, is_checked
from tensordbg.backends.tensorflow.check.taped_lines import TapedLines
from tensordbg.backends.tensorflow.check.written import written
from tensordbg.backends.tensorflow.eager.entries import Entries, Entry
from tensordbg.backends.tensorflow.eager.recording import FUNCTION_NAMES
from tensordbg.backends.tensorflow.eager.tensors import flat, input_count, results_of
from tensordbg.backends.tensorflow.internals import constant_op
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.raised import error_of, raise_own
from tensordbg.checking.finding import Finding, Input
from tensordbg.health.measured import Measured
from tensordbg.model import Frame
from tensordbg.recording.catalog import Catalog

# Our mark on an eager tensor whose infinities, or NaNs, were let pass.
_PASSED = "_tensordbg_passed"

# Our mark on a NaN that TensorFlow itself wrote for something to be chosen from, and on what only passes it on.
_LATENT = "_tensordbg_latent"
_FUNCTIONS_OF_TENSORFLOW = "tensorflow.python.eager.polymorphic_function"
_DEPTH_OF_CONVERSION = 15

Judge = Callable[[Finding], "str | None"]
"""What to say of a finding, None where it is allowed."""


class EagerChecks:
    """The layer before the eager runtime that checks."""

    depth = 0

    def __init__(self, catalog: Catalog, judge: Judge, fault: Callable[[str, BaseException], None]) -> None:
        """Findings go to `judge`, faults of our own to `fault`, with what was being done."""
        self._catalog = catalog
        self._judge = judge
        self._fault = fault
        self._plain_constant: Any = None
        self._taped = TapedLines(catalog.user_code)
        self._deferred = Deferred(catalog.user_code, lambda finding: error_of(judge(finding) or ""))
        self.lenient = False
        """Whether there are rules by which anything can be let pass."""
        self.let_pass = False
        """Whether anything was let pass that may come out of a function, or by way of what only passes it on."""

    def install(self, entries: Entries) -> None:
        """Checks constants from now on, but for those of work of ours, which `entries` knows."""
        self._plain_constant = plain = constant_op.convert_to_eager_tensor

        def convert_to_eager_tensor(value: Any, *rest: Any, **named: Any) -> Any:
            result = plain(value, *rest, **named)
            bad = result is not value and not _finite(result)
            if bad and not entries.bypassed and not _is_argument(sys._getframe(1)):  # noqa: SLF001
                if is_written_by_tensorflow(_files(sys._getframe(1))) and np.isnan(result.numpy()).all():  # noqa: SLF001
                    setattr(result, _LATENT, True)
                else:
                    self._examine("Const", (), result)
            return result

        constant_op.convert_to_eager_tensor = unseen(convert_to_eager_tensor)
        self._deferred.install(entries)

    def uninstall(self) -> None:
        """Checks constants no longer."""
        constant_op.convert_to_eager_tensor = self._plain_constant
        self._taped.forget()
        self._deferred.uninstall()

    def fast_path(self, plain: Entry) -> Entry:
        """Checks one operation."""
        deferred = self._deferred

        def fast_path(runtime: Any, op_type: str, name: Any, *args: Any) -> Any:
            behind = self._taken(op_type, args) if deferred.live else None
            try:
                result = plain(runtime, op_type, name, *args)
            except Exception as error:
                raise_own(error)
                raise
            if behind is not None:
                self._hand_on(behind, op_type, args, result)
            elif result is not None:
                self._examine(op_type, args, result)
            else:
                self._examine_written(op_type, args)
            return result

        return fast_path

    def execute(self, plain: Entry) -> Entry:
        """Checks one operation; a function checks itself."""
        deferred = self._deferred

        def execute(handle: Any, device: Any, op_type: Any, inputs: Any, *rest: Any) -> Any:
            kind = op_type if isinstance(op_type, str) else op_type.decode()
            behind = self._taken(kind, inputs) if deferred.live else None
            try:
                result = plain(handle, device, op_type, inputs, *rest)
            except Exception as error:
                raise_own(error)
                raise
            if behind is not None:
                self._hand_on(behind, kind, inputs, result)
            elif not result:
                self._examine_written(kind, inputs)
            elif not kind.startswith(FUNCTION_NAMES):
                self._examine(kind, inputs, result)
            elif self.let_pass:
                _mark(tensor for tensor in flat(result) if not _finite(tensor))
            return result

        return execute

    def _examine(self, op_type: str, args: Sequence[Any], result: Any) -> None:
        """Raises what there is to be said of an operation's outputs; `args` are its inputs, and perhaps more."""
        message = None
        try:
            if op_type not in UNCHECKED:
                outputs = results_of(result) if isinstance(result, (list, tuple)) else (result,)
                for slot, tensor in enumerate(outputs):
                    if not _finite(tensor) and is_checked(op_type, slot) and not _is_latent(op_type, args, tensor):
                        message = message or self._look_into(op_type, args, (slot, len(outputs), tensor))
            elif self.let_pass and op_type in SAFE and any(hasattr(each, _PASSED) for each in flat(args)):
                _mark(results_of(result) if isinstance(result, (list, tuple)) else (result,))
            if message is None:
                self._taped.note(op_type, args, result)
                note_places(op_type, args, result)
        except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
            self._fault(f"checking {op_type}", error)
        if message is not None:
            raise error_of(message)

    def _taken(self, op_type: str, args: Sequence[Any]) -> Taken | None:
        """What bad thing an operation takes; raises where it may not."""
        taken = None
        try:
            taken = self._deferred.taken(op_type, args)
        except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
            self._fault(f"looking at what {op_type} takes", error)
        if taken is not None and taken.raises:
            raise self._deferred.error_of(taken)
        return taken

    def _hand_on(self, taken: Taken, op_type: str, args: Sequence[Any], result: Any) -> None:
        """What is bad of an operand goes on to the results."""
        try:
            taken = self._deferred.hand_on(taken, op_type, args, result)
            self._taped.note(op_type, args, result)
        except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
            self._fault(f"looking at what {op_type} made", error)
        if taken.raises:
            raise self._deferred.error_of(taken)

    def _examine_written(self, op_type: str, args: Sequence[Any]) -> None:
        """Raises what there is to be said of what an operation wrote into variables.

        Where anything may be let pass, a variable may have held it before, and then nothing is said.
        """
        message = None
        try:
            for value in () if self.lenient else written(op_type, args):
                if message is None and not _finite(value):
                    message = self._look_into(op_type, args, (0, 0, value))
        except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
            self._fault(f"checking {op_type}", error)
        if message is not None:
            raise error_of(message)

    def _look_into(self, op_type: str, args: Sequence[Any], output: tuple[int, int, Any]) -> str | None:
        slot, outputs, tensor = output
        inputs = flat(args[: input_count(op_type)] if not isinstance(args, list) else args)
        measured = Measured(tensor.numpy())
        if not _made_here(measured, [each for each in inputs if _was_let_pass(each)]):
            _mark([tensor])
            return None
        finding = Finding(
            op_type=op_type,
            name=op_type,
            slot=slot,
            outputs=outputs,
            tensor=measured,
            inputs=tuple(_input(each) for each in inputs),
            frames=tuple(_frames(self._catalog, sys._getframe(3))),  # noqa: SLF001
            forward=self._taped.forward(),
        )
        message = self._judge(finding)
        if message is not None and outputs and self._deferred.begins(finding, tensor, sys._getframe(3)):  # noqa: SLF001
            return None
        if message is None and (self.lenient or not is_of_tensorflow(finding.frames)):
            self.let_pass = True
            _mark([tensor])
        return message


def _finite(tensor: Any) -> bool:
    dtype = tensor._datatype_enum()  # noqa: SLF001
    if dtype not in dtypes.FLOATS:
        return True
    array = tensor if dtype not in dtypes.AS_BYTES else tensor.numpy().view(dtypes.AS_BYTES[dtype])
    return _native.all_finite(array, dtypes.TRACE_NUMBERS[dtype])


def _is_latent(op_type: str, args: Sequence[Any], tensor: Any) -> bool:
    """Whether an operation only passes on a NaN that nobody has chosen yet."""
    position = MOVING.get(op_type)
    if position is None or position >= len(args) or not hasattr(args[position], _LATENT):
        return False
    setattr(tensor, _LATENT, True)
    return True


def _files(frame: FrameType | None) -> Iterator[str]:
    """Those of a stack, the innermost first."""
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _was_let_pass(given: Any) -> bool:
    """Whether an operation is given an infinity that was let pass, or one that the program writes down."""
    if hasattr(given, _PASSED):
        return True
    return isinstance(given, (float, np.ndarray, np.generic)) and is_written(np.asarray(given))


def _made_here(output: Measured, passed: list[Any]) -> bool:
    """Whether an output is bad in a way in which no input was that had been let pass."""
    given = [Measured(each.numpy() if hasattr(each, "numpy") else np.asarray(each)).health for each in passed]
    health = output.health
    if health is None or health.nan:
        return not any(each and each.nan for each in given)
    return not any(each and each.non_finite for each in given)


def _mark(tensors: Any) -> None:
    for tensor in tensors:
        setattr(tensor, _PASSED, True)


def _input(value: Any) -> Input:
    if not hasattr(value, "_datatype_enum"):
        value = getattr(value, "_value", value)  # what a variable holds
    if hasattr(value, "_datatype_enum"):
        numeric = value._datatype_enum() in dtypes.PROBED  # noqa: SLF001
        return Input(str(value), Measured(value.numpy()) if numeric else None)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return Input(repr(value)[:200], None)
    return Input(str(value)[:2000], Measured(array) if array.dtype.kind in "biufc" else None)


def _frames(catalog: Catalog, frame: FrameType | None) -> Iterator[Frame]:
    found = []
    while frame is not None:
        file = frame.f_code.co_filename
        if not catalog.user_code.is_own(file):
            found.append(Frame(file, frame.f_lineno, frame.f_code.co_name, catalog.user_code.is_user(file)))
        frame = frame.f_back
    return reversed(found)


def _is_argument(frame: FrameType | None) -> bool:
    """Whether an array is made a tensor as an argument of a function: then the operation that takes it raises."""
    for _ in range(_DEPTH_OF_CONVERSION):
        if frame is None:
            return False
        if frame.f_globals.get("__name__", "").startswith(_FUNCTIONS_OF_TENSORFLOW):
            return True
        frame = frame.f_back
    return False
