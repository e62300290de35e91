"""Tests steps that run eagerly: the loss and the gradients, where a tape gives them and where an optimizer takes them.

What a step computes is noted from where its tape was entered. What it wrote before its test, such as the statistics of
batch normalization, is put back where it turns out bad; what it would write afterwards is left out or never comes.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from types import FrameType
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.eager.entries import Entry
from tensordbg.backends.tensorflow.eager.recording import FUNCTION_NAMES
from tensordbg.backends.tensorflow.eager.tape_frames import taped_operation
from tensordbg.backends.tensorflow.eager.tensors import flat, input_count
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.handles import read_handle, write_handle
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.methods import KERAS_LOSS_SCALE, KERAS_OPTIMIZERS, Method, ReplacedMethods
from tensordbg.backends.tensorflow.raised import error_of
from tensordbg.backends.tensorflow.stack_keys import stack_key
from tensordbg.backends.tensorflow.trap.eager.capture import EagerStep
from tensordbg.backends.tensorflow.trap.eager.graph import Target
from tensordbg.backends.tensorflow.trap.eager.log import Differentiated, LoggedOperation, Made, StepLog, tensors_in
from tensordbg.backends.tensorflow.trap.nodes import changes
from tensordbg.backends.tensorflow.trap.targets import gradients_of, name_of
from tensordbg.backends.tensorflow.variables import writes
from tensordbg.capture.tensors import Array
from tensordbg.recording.catalog import CATALOG
from tensordbg.trapping.readings import Readings
from tensordbg.trapping.rules import StepReading, StepRules
from tensordbg.trapping.targets import GRADIENT, LOSS, LOWEST_SCALE, RATE, VARIABLE

Judge = Callable[[EagerStep, "list[Target]", "StepReading | None"], "str | bool | None"]
"""What becomes of a step that is bad, or that breaks a rule: None to let it be, False to leave it out, a message with
which it fails."""


class _Thread(threading.local):
    """What is under way in one thread."""

    step: EagerStep | None = None
    tapes = 0
    """How many tapes are entered."""
    gradients = 0
    """How many calls that take gradients are under way."""


class EagerSteps:
    """The layer before the eager runtime that traps."""

    depth = 2

    def __init__(self, judge: Judge, rules: StepRules, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """`guard` runs code of ours inside the program."""
        self._judge = judge
        self._rules = rules
        self._readings = Readings(rules)
        self._guard = guard
        self._thread = _Thread()
        self._methods = ReplacedMethods(guard)
        self._counts: Counter[object] = Counter()

    def install(self) -> None:
        """Tests from now on."""
        self._methods.install(
            Method("tensorflow", "GradientTape.__enter__", self._entering_tape),
            Method("tensorflow", "GradientTape.__exit__", self._leaving_tape),
            Method("tensorflow", "GradientTape.gradient", self._taking_gradients),
            Method(KERAS_OPTIMIZERS, "BaseOptimizer.apply", self._applying),
            Method(KERAS_LOSS_SCALE, "LossScaleOptimizer.scale_loss", self._scaling),
        )
        hooks().entries.add(self)

    def uninstall(self) -> None:
        """Tests nothing from now on."""
        hooks().entries.remove(self)
        self._methods.uninstall()
        self._thread.step = None

    @contextmanager
    def block(self, batch: Sequence[Any], frame: FrameType) -> Iterator[None]:
        """A step that the program itself marks; what it wrote is tested at its end.

        Args:
            batch: Tensors that are its input.
            frame: Where it begins.
        """
        self._begin(frame, tuple(batch), block=True)
        try:
            yield
            step = self._thread.step
            if step is not None and not step.left_out:
                self._test(
                    step, [Target(old.handle, VARIABLE, _variable_name(old.handle)) for old in step.log.old.values()]
                )
        finally:
            self._thread.step = None

    def _begin(self, frame: FrameType, batch: tuple[Any, ...], block: bool) -> None:
        place = (frame.f_code, frame.f_lasti)
        name = frame.f_code.co_name
        function = "eager_step" if name.startswith("<") else name
        self._thread.step = EagerStep(function, self._counts[place], block, StepLog(batch))
        self._counts[place] += 1

    # What the program calls.

    def _entering_tape(self, plain: Any) -> Any:
        def __enter__(tape: Any) -> Any:  # noqa: N807
            if _eager():
                with self._guard("seeing a step begin"):
                    thread = self._thread
                    if thread.tapes == 0 and (thread.step is None or not thread.step.block):
                        self._begin(sys._getframe(1), (), block=False)  # noqa: SLF001
                    thread.tapes += 1
            return plain(tape)

        return __enter__

    def _leaving_tape(self, plain: Any) -> Any:
        def __exit__(tape: Any, *error: Any) -> Any:  # noqa: N807
            if _eager():
                self._thread.tapes = max(0, self._thread.tapes - 1)
            return plain(tape, *error)

        return __exit__

    def _taking_gradients(self, plain: Any) -> Any:
        def gradient(tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            thread = self._thread
            thread.gradients += 1
            try:
                given = plain(tape, target, sources, *args, **kwargs)
            finally:
                thread.gradients -= 1
            step = thread.step
            if step is not None and _eager():
                self._test_tape(step, target, gradients_of(sources, given))
            return given

        return gradient

    def _applying(self, plain: Any) -> Any:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            step = self._thread.step
            if step is not None and _eager():
                if not step.left_out:
                    names = [name_of(each) for each in trainable_variables or ()]
                    self._test_optimizer(step, list(grads), names, rate_target(optimizer))
                if step.left_out:
                    return None
            return plain(optimizer, grads, trainable_variables)

        return apply

    def _scaling(self, plain: Any) -> Any:
        def scale_loss(optimizer: Any, loss: Any) -> Any:
            step = self._thread.step
            if step is not None and _eager():
                with self._guard("noting that a loss is scaled"):
                    step.loss = loss
                    step.scale = float(optimizer.dynamic_scale if optimizer.built else optimizer.initial_scale)
            return plain(optimizer, loss)

        return scale_loss

    # The tests.

    def _test_tape(self, step: EagerStep, target: Any, gradients: list[tuple[Any, str]]) -> None:
        import tensorflow as tf

        if gradients:
            losses = tf.nest.flatten(target) if step.loss is None else [step.loss]
            self._test(step, [*(Target(each, LOSS, "") for each in losses), *_gradients(gradients)])

    def _test_optimizer(self, step: EagerStep, gradients: list[Any], names: list[str], rate: list[Target]) -> None:
        known = names if len(names) == len(gradients) else [""] * len(gradients)
        given = [(each, name) for each, name in zip(gradients, known, strict=True) if each is not None]
        self._test(step, [*_gradients(given), *rate])

    def _test(self, step: EagerStep, targets: Sequence[Target]) -> None:
        """Raises what is to be said of a bad step."""
        answer: str | bool | None = None
        with self._guard("testing a step"):
            tested = [each for each in targets if _is_testable(each.tensor)]
            bad = [each for each in tested if not self._finite(each.tensor)]
            step.tested = step.tested or not bad
            if bad and not _is_overflow_of_scaled(step, bad):
                answer = self._found(step, tested, None)
            elif not bad:
                answer = self._test_by_rules(step, tested)
        if isinstance(answer, str):
            raise error_of(answer)

    def _test_by_rules(self, step: EagerStep, tested: list[Target]) -> str | bool | None:
        reading = self._readings.read(step, _elements(tested))
        if reading is None:
            return None
        if self._rules.broken_by(reading):
            return self._found(step, tested, reading)
        self._readings.remember(reading)
        return None

    def _found(self, step: EagerStep, tested: list[Target], reading: StepReading | None) -> str | bool | None:
        self._thread.step = None  # what is computed from here on is ours
        answer = self._judge(step, tested, reading)
        if answer is None:
            return None
        for old in step.log.old.values():
            write_handle(old.handle, old.value)
        if answer is False:
            step.left_out = True
            step.spoilt = {each.tensor._id for each in tested}  # noqa: SLF001
            step.log = StepLog()
            self._thread.step = step
        return answer

    def _finite(self, tensor: Any) -> bool:
        value = read_handle(tensor) if tensor._datatype_enum() == dtypes.RESOURCE else tensor  # noqa: SLF001
        enum = value._datatype_enum()  # noqa: SLF001
        if enum not in dtypes.FLOATS:
            return True
        array = value if enum not in dtypes.AS_BYTES else value.numpy().view(dtypes.AS_BYTES[enum])
        return _native.all_finite(array, dtypes.TRACE_NUMBERS[enum])

    # The layer.

    def fast_path(self, plain: Entry) -> Entry:
        """Notes one operation, or leaves it out."""

        def fast_path(runtime: Any, op_type: str, name: Any, *args: Any) -> Any:
            step = self._thread.step
            if step is None:
                return plain(runtime, op_type, name, *args)
            count = input_count(op_type)
            if self._is_left_out(step, op_type, args[:count]):
                return None
            result = plain(runtime, op_type, name, *args)
            if self._thread.step is step:
                self._note(step, (op_type, args[:count], args[count:], False), result)
            return result

        return fast_path

    def execute(self, plain: Entry) -> Entry:
        """Passes one operation, or the call of a function, on."""

        def execute(handle: Any, device: Any, op_type: Any, inputs: Any, attributes: Any, *rest: Any) -> Any:
            step = self._thread.step
            if step is None:
                return plain(handle, device, op_type, inputs, attributes, *rest)
            kind = op_type if isinstance(op_type, str) else op_type.decode()
            if self._is_left_out(step, kind, inputs):
                return []
            result = plain(handle, device, op_type, inputs, attributes, *rest)
            if self._thread.step is step:
                self._note(step, (kind, inputs, attributes or (), True), result)
            return result

        return execute

    def _is_left_out(self, step: EagerStep, op_type: str, inputs: Sequence[Any]) -> bool:
        """Whether an operation about to run must not; keeps what it is going to overwrite."""
        with self._guard("looking at an operation"):
            if step.left_out:
                if op_type.startswith("IteratorGetNext") and not step.block:
                    self._thread.step = None
                return writes(op_type) and (step.block or self._is_spoilt(step, inputs))
            handles = _written(op_type, inputs)
            if handles and step.tested and not step.block:
                self._thread.step = None  # the step was good; this is its update
            elif handles:
                for handle in handles:
                    step.log.keep_old(handle, read_handle)
        return False

    def _is_spoilt(self, step: EagerStep, inputs: Sequence[Any]) -> bool:
        return any(getattr(each, "_id", None) in step.spoilt for each in flat(inputs))

    def _note(self, step: EagerStep, operation: tuple[str, Sequence[Any], Sequence[Any], bool], result: Any) -> None:
        with self._guard("noting an operation"):
            op_type, inputs, attributes, is_flat = operation
            if step.left_out:
                if self._is_spoilt(step, inputs):
                    step.spoilt.update(each._id for each in tensors_in(result))  # noqa: SLF001
                return
            frame = sys._getframe(2)  # noqa: SLF001
            known = tuple(step.log.known(each) for each in inputs)
            stack = hooks().stacks.current(stack_key(frame), frame)
            gradient_of = _differentiated(step.log, frame) if self._thread.gradients else None
            step.log.add(LoggedOperation(op_type, known, tuple(attributes), is_flat, stack, gradient_of), result)


def _differentiated(log: StepLog, frame: FrameType) -> Differentiated | None:
    """The operation whose gradient an operation in a stack computes, None where the tape can't tell."""
    taped = taped_operation(frame, CATALOG.user_code)
    if taped is None:
        return None
    outputs = (log.known(each) for each in flat(taped.outputs))
    inputs = tuple(log.known(each) for each in flat(taped.inputs) if hasattr(each, "_datatype_enum"))
    return Differentiated(taped.op_type, tuple(each for each in outputs if isinstance(each, Made)), inputs)


def rate_target(optimizer: Any) -> list[Target]:
    """The learning rate of one of Keras's optimizers, where a variable holds it."""
    rate = getattr(optimizer, "_learning_rate", None)
    handle = getattr(getattr(rate, "_value", rate), "handle", None)
    return [] if not hasattr(handle, "_datatype_enum") else [Target(handle, RATE, name_of(rate))]


def _eager() -> bool:
    return bool(context.context().executing_eagerly())


def _gradients(gradients: Sequence[tuple[Any, str]]) -> list[Target]:
    return [Target(getattr(each, "values", each), GRADIENT, name) for each, name in gradients]


def _elements(tested: Sequence[Target]) -> Iterator[tuple[str, Array]]:
    """The losses and gradients, with their roles; read only where a rule asks for them."""
    return ((each.role, each.tensor.numpy()) for each in tested if each.role in {LOSS, GRADIENT})


def _is_testable(tensor: Any) -> bool:
    return hasattr(tensor, "_datatype_enum") and tensor._datatype_enum() in {*dtypes.FLOATS, dtypes.RESOURCE}  # noqa: SLF001


def _is_overflow_of_scaled(step: EagerStep, bad: Sequence[Target]) -> bool:
    """Whether the optimizer leaves the step out itself, and takes a smaller scale next time."""
    return step.scale is not None and step.scale > LOWEST_SCALE and all(each.role == GRADIENT for each in bad)


def _written(op_type: str, inputs: Sequence[Any]) -> list[Any]:
    """The handles of the variables that an operation is going to write."""
    if changes(op_type):
        return [each for each in flat(inputs)[:1] if _is_handle(each)]
    if op_type.startswith(FUNCTION_NAMES):
        return [inputs[number] for number in _written_arguments(op_type) if _is_handle(inputs[number])]
    return []


def _is_handle(value: Any) -> bool:
    return (
        hasattr(value, "_datatype_enum")
        and value._datatype_enum() == dtypes.RESOURCE  # noqa: SLF001
        and getattr(value, "_handle_data", None) is not None
    )


@cache
def _written_arguments(function: str) -> tuple[int, ...]:
    """Which arguments of a function are handles of variables that it may write."""
    definition = context.context().get_function_def(function)
    taken = {
        name
        for node in definition.node_def
        if changes(node.op) or fd.called_functions(node)
        for name in fd.data_inputs(node)
    }
    return tuple(
        number
        for number, argument in enumerate(definition.signature.input_arg)
        if argument.type == dtypes.RESOURCE and argument.name in taken
    )


def _variable_name(handle: Any) -> str:
    number = hooks().variables.number_of(handle)
    return CATALOG.variable(number).name if number >= 0 else "a variable"
