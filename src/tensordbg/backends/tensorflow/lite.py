"""Records interpreters of LiteRT (TensorFlow Lite): what each operation of a converted model computes, at each run.

The program's own interpreter keeps only its results, and hands parts of the model to a delegate that shows nothing. So
a second one is made of the same model, without delegates, which keeps all of its tensors; it is given what the
first was given, and runs behind it. The program's numbers, memory plan and delegates stay as they are. What is
quantised is recorded as the numbers that it stands for.
"""

from __future__ import annotations

import functools
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import lite_operations, lite_signature
from tensordbg.health.spec import DTYPE_NUMBERS, MEASURABLE
from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.operations.lookup import INPUT, PARAMETER
from tensordbg.operations.tensorflow.lite_types import TYPES
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.log import UNKNOWN_INPUT, input_reference
from tensordbg.recording.recorder import Recorder

MODULE = "tensorflow.lite.python.interpreter"
_GIVEN = "_tensordbg_model"
"""The attribute of an interpreter that has the model it was made of."""

Array = npt.NDArray[Any]
Plain = Callable[..., Any]


class LiteInterpreters:
    """The hook of one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._watch = ImportWatch({MODULE: self._patch})
        self._former: list[tuple[type, str, Plain]] = []
        self._seconds: WeakKeyDictionary[Any, _Second | None] = WeakKeyDictionary()

    def install(self) -> None:
        """Looks on from now on, or from the import of the interpreter's module on."""
        self._watch.start()

    def uninstall(self) -> None:
        """Gives the class its own methods back."""
        self._watch.stop()
        while self._former:
            owner, name, plain = self._former.pop()
            setattr(owner, name, plain)

    def _patch(self) -> None:
        module = sys.modules[MODULE]
        self._wrap(module.Interpreter, "__init__", self._made)
        self._wrap(module.Interpreter, "invoke", self._invoked)
        self._wrap(module.SignatureRunner, "__call__", self._called)

    def _wrap(self, owner: type, name: str, around: Callable[..., Any]) -> None:
        plain = getattr(owner, name)
        self._former.append((owner, name, plain))

        @functools.wraps(plain)
        def wrapped(this: Any, *given: Any, **named: Any) -> Any:
            return around(plain, this, given, named)

        setattr(owner, name, wrapped)

    def _made(self, plain: Plain, interpreter: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        plain(interpreter, *given, **named)
        with self._recorder.guard("noting the model of an interpreter"):
            models = dict(zip(("model_path", "model_content"), given, strict=False))
            models |= {name: named[name] for name in ("model_path", "model_content") if name in named}
            setattr(interpreter, _GIVEN, models)

    def _invoked(self, plain: Plain, interpreter: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        taken: dict[int, Array] = {}
        with self._recorder.guard("reading the inputs of an interpreter"):
            if self._wanted(interpreter):
                taken = _inputs_of(interpreter)
        result = plain(interpreter, *given, **named)
        self._record(interpreter, taken)
        return result

    def _called(self, plain: Plain, runner: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        result = plain(runner, *given, **named)
        with self._recorder.guard("recording a signature of an interpreter"):
            interpreter, places = lite_signature(runner)
            if self._wanted(interpreter):
                taken = {places[name]: np.asarray(value) for name, value in named.items() if name in places}
                self._record(interpreter, taken)
        return result

    def _wanted(self, interpreter: Any) -> bool:
        recorder = self._recorder
        return recorder.active and not recorder.resting and hasattr(interpreter, _GIVEN)

    def _record(self, interpreter: Any, taken: Mapping[int, Array]) -> None:
        if not taken:
            return
        with self._recorder.guard("recording an interpreter"):
            try:
                second = self._second(interpreter)
                if second is not None:
                    second.run(taken)
            except (RuntimeError, ValueError, OSError) as error:
                self._seconds[interpreter] = None
                reason = " ".join(str(error).split())[:200]
                self._recorder.warn(f"an interpreter of LiteRT is not recorded: its model can't run again ({reason})")

    def _second(self, interpreter: Any) -> _Second | None:
        """The one beside an interpreter; None where it could not run."""
        if interpreter not in self._seconds:
            made = _Second(self._recorder, self._copy(interpreter), self._plain("invoke"))
            self._seconds[interpreter] = made
        return self._seconds[interpreter]

    def _plain(self, name: str) -> Plain:
        return next(plain for _, known, plain in self._former if known == name)

    def _copy(self, interpreter: Any) -> Any:
        module: ModuleType = sys.modules[MODULE]
        copy = object.__new__(module.Interpreter)
        kind = module.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._plain("__init__")(
                copy, **getattr(interpreter, _GIVEN), experimental_op_resolver_type=kind,
                experimental_preserve_all_tensors=True,
            )  # fmt: skip
        copy.allocate_tensors()
        return copy


def _inputs_of(interpreter: Any) -> dict[int, Array]:
    """The inputs by index; none where the program has not allocated them, which its run will say."""
    try:
        return {each["index"]: interpreter.get_tensor(each["index"]) for each in interpreter.get_input_details()}
    except (RuntimeError, ValueError):
        return {}


class _Second:
    """The second interpreter of a model, and the sites of its operations."""

    def __init__(self, recorder: Recorder, interpreter: Any, invoke: Plain) -> None:
        self._recorder = recorder
        self._invoke = invoke
        self._interpreter = interpreter
        self._tensors = {each["index"]: each for each in interpreter.get_tensor_details()}
        self._operations = lite_operations(interpreter)
        self._inputs = [each["index"] for each in interpreter.get_input_details()]
        self._device = recorder.log.device("/device:CPU:0")
        self._sites: dict[int, int] = {}
        self._made: dict[int, int] = {}
        """For each tensor the reference of what made it last."""
        self._describe(hooks().stacks.here())

    def _describe(self, stack: int) -> None:
        """Gives each input, parameter and operation a site; a tensor goes by its index, an operation by its first."""
        catalog = self._recorder.catalog
        made = {output for each in self._operations for output in each["outputs"]}
        taken = dict.fromkeys(int(index) for each in self._operations for index in each["inputs"])
        self._parameters = [each for each in taken if self._is_parameter(each, made)]
        kinds = dict.fromkeys(self._inputs, INPUT) | dict.fromkeys(self._parameters, PARAMETER)
        for each in self._operations:
            if len(each["outputs"]):
                kinds[int(each["outputs"][0])] = TYPES.get(each["op_name"], each["op_name"])
        first = catalog.new_sites(len(kinds))
        sites = []
        for number, (index, op_type) in enumerate(kinds.items(), first):
            name = self._tensors[index]["name"].removesuffix(":0") or op_type
            reads = (self._variable(index),) if op_type == PARAMETER else ()
            sites.append(Site(number, name, op_type, NONE, stack, reads=reads, framework=TENSORFLOW))
            self._sites[index] = number
        catalog.add_sites(sites)

    def _is_parameter(self, index: int, made: set[int]) -> bool:
        return index in self._tensors and index not in made and index not in self._inputs and self._is_real(index)

    def _is_real(self, index: int) -> bool:
        tensor = self._tensors[index]
        return bool(np.issubdtype(tensor["dtype"], np.floating) or len(tensor["quantization_parameters"]["scales"]))

    def _variable(self, index: int) -> int:
        tensor = self._tensors[index]
        shape = json.dumps([int(each) for each in tensor["shape"]])
        number = self._recorder.catalog.add_variable(tensor["name"], "float32", shape)
        self._recorder.catalog.set_trainable(number, True)
        return number

    def run(self, taken: Mapping[int, Array]) -> None:
        """Runs the model on what the program's own interpreter was given, and records all tensors."""
        interpreter = self._interpreter
        shapes = {index: tuple(interpreter.get_tensor(index).shape) for index in taken}
        for index, array in taken.items():
            if shapes[index] != array.shape:
                interpreter.resize_tensor_input(index, array.shape)
        interpreter.allocate_tensors()
        for index, array in taken.items():
            interpreter.set_tensor(index, array)
        self._invoke(interpreter)
        step = self._recorder.wanted_step(self)
        if step == NONE:
            return
        for index in [*taken, *(each for each in self._parameters if each not in self._made)]:
            self._operation((index,), step, [])
        for each in self._operations:
            inputs = [self._made.get(int(index), UNKNOWN_INPUT) for index in each["inputs"]]
            if len(each["outputs"]):
                self._operation(tuple(map(int, each["outputs"])), step, inputs)

    def _operation(self, outputs: tuple[int, ...], step: int, inputs: list[int]) -> None:
        recorder, site = self._recorder, self._sites[outputs[0]]
        recorder.catalog.use_site(site)
        execution = recorder.begin_operation(site, step, inputs)
        for slot, index in enumerate(outputs):
            self._made[index] = input_reference(execution, slot)
            array = self._numbers(index)
            if array is not None and array.dtype.name in MEASURABLE:
                number = DTYPE_NUMBERS[array.dtype.name]
                recorder.log.append_tensor(execution, site, slot, number, self._device, array)

    def _numbers(self, index: int) -> Any:
        """The numbers that a tensor stands for; None where it has none, as one that was not computed."""
        try:
            array = np.ascontiguousarray(self._interpreter.get_tensor(index))
        except (ValueError, RuntimeError):
            return None
        told = self._tensors[index]["quantization_parameters"]
        scales, zeros = np.asarray(told["scales"], np.float32), np.asarray(told["zero_points"])
        if not len(scales) or array.dtype.kind not in "iu":
            return array
        shape = [1] * array.ndim
        if len(scales) > 1:
            shape[told["quantized_dimension"]] = len(scales)
        wide = array.astype(np.float32) - zeros.reshape(shape if len(zeros) > 1 else [1] * array.ndim)
        return np.ascontiguousarray((wide * scales.reshape(shape)).astype(np.float32).reshape(array.shape))
