"""Records eager operations and calls of functions, by standing before the two entries into TensorFlow's runtime.

All threads pass there. The user's operation runs first, or is on the way, whatever happens in the recording of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.devices import Devices
from tensordbg.backends.tensorflow.eager.at_hand import SILENT, OperationNotices
from tensordbg.backends.tensorflow.eager.element_parts import GIVING, dataset_name, site_attributes
from tensordbg.backends.tensorflow.eager.entries import Entries, Entry
from tensordbg.backends.tensorflow.eager.known_operations import KnownOperations
from tensordbg.backends.tensorflow.eager.outside_names import FromOutside, named_from_outside
from tensordbg.backends.tensorflow.eager.reads import Reads
from tensordbg.backends.tensorflow.eager.results import Results
from tensordbg.backends.tensorflow.eager.tape_steps import lighten_between_steps
from tensordbg.backends.tensorflow.eager.tensors import as_tensor, flat, input_count, results_of
from tensordbg.backends.tensorflow.failures.failed_operation import failed_eagerly, failed_in_function
from tensordbg.backends.tensorflow.functions.instrument import Functions, KnownFunction, Probes
from tensordbg.backends.tensorflow.functions.slots import Slots, slots_of
from tensordbg.backends.tensorflow.internals import context, eager_tensors, record, resource_variable_ops
from tensordbg.backends.tensorflow.keras.layers import MARK, KerasLayers
from tensordbg.backends.tensorflow.stack_keys import StackKey, stack_key
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.backward import BackwardPasses
from tensordbg.backends.tensorflow.variables import READERS, Variables, dtype_behind, writes
from tensordbg.model import NONE, CallKind, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.failure import note_failure
from tensordbg.recording.log import UNKNOWN_INPUT, input_reference, variable_reference
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall

_UNKNOWN = (None, UNKNOWN_INPUT, NONE)

FUNCTION_NAMES = ("__inference_", "__forward_", "__backward_")
"""How the names of functions begin in the runtime."""


class Eager:
    """The layer before the eager runtime that records."""

    depth = 1

    def __init__(
        self, entries: Entries, functions: Functions, variables: Variables, stacks: Stacks, layers: KerasLayers
    ) -> None:
        self._entries = entries
        self._layers = layers
        self._reads = Reads(entries, stacks)
        self._notices = OperationNotices(entries)
        self._functions = functions
        self._variables = variables
        self._stacks = stacks
        self._recorder: Recorder
        self._visible_devices = Devices()
        self._results = Results(entries, self._reads, self._visible_devices)
        self._known = KnownOperations(self._results, layers)
        self._tensor_type, _ = eager_tensors()
        self._sites: dict[tuple[str, StackKey, tuple[int, ...] | None, str, int, str], int] = {}

    def install(self, recorder: Recorder) -> None:
        """Records every eager operation and function call from now on, in every thread."""
        self._recorder = self._notices.recorder = recorder
        self._backward = BackwardPasses(recorder.catalog)
        self._entries.add(self)
        self._reads.install(recorder)
        self._results.begin(recorder)
        self._known.begin(recorder)
        if recorder.pace is not None:
            lighten_between_steps(recorder.pace, self._entries, self._failed)

    def uninstall(self) -> None:
        """Takes the layer away again."""
        self._entries.lighten(None)
        self._entries.remove(self)
        self._reads.uninstall()
        self._known.end()

    def fast_path(self, plain: Entry) -> Entry:
        """Records one operation."""
        recorder = self._recorder

        def fast_path(runtime: Any, op_type: str, name: Any, *args: Any) -> Any:
            if recorder.lines is not None:
                self._notices.before(op_type, lambda: args[: input_count(op_type)])
            try:
                result = plain(runtime, op_type, name, *args)
            except Exception as error:
                self._failed(error, op_type, args[: input_count(op_type)])
                raise
            if op_type == "VarHandleOp":
                with recorder.guard("learning the name of a variable"):
                    self._variables.learn_name(result, name)
            elif recorder.active and op_type not in SILENT:
                try:
                    count = input_count(op_type)
                    if not self._known.record(op_type, args, count, result):
                        self._operation(op_type, args[:count], result, args[count:])
                except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
                    recorder.fail(f"recording {op_type}", error)
            return result

        return fast_path

    def execute(self, plain: Entry) -> Entry:
        """Records one operation, or the call of a function."""

        def execute(handle: Any, device: Any, op_type: Any, inputs: Any, *rest: Any) -> Any:
            return self._execute(plain, (handle, device, op_type, inputs, *rest))

        return execute

    def _execute(self, plain: Any, call: tuple[Any, ...]) -> Any:
        recorder = self._recorder
        if not recorder.active:
            return plain(*call)
        op_type = call[2] if isinstance(call[2], str) else call[2].decode()
        function = self._functions.find(op_type)
        if recorder.lines is not None:
            self._notices.before(op_type, lambda: call[3], function)
        if function is not None and Probes.kind in function.instruments:
            return self._call(function, plain, call)
        try:
            result = plain(*call)
        except Exception as error:
            self._failed(error, op_type, call[3])
            raise
        try:
            if op_type.startswith(FUNCTION_NAMES):
                recorder.warn(f"{op_type} was traced before recording began; what it computes is not recorded")
            elif op_type not in SILENT:
                self._operation(op_type, call[3], result, call[4])
        except Exception as error:  # noqa: BLE001  a fault of ours must not reach the program
            recorder.fail(f"recording {op_type}", error)
        return result

    def _call(self, function: KnownFunction, plain: Any, call: tuple[Any, ...]) -> Any:
        watch = self._recorder.watch
        if watch is None:
            if self._recorder.passes_by(function.step_key):
                return self._functions.call_plain(self._recorder, plain, call)
            return self._made(function, self._begin(function, call[3]), plain, call)
        run = DebuggedCall(self._recorder.catalog.function(function.number), False, sys._getframe(1))  # noqa: SLF001
        execution = self._begin(function, call[3]) if watch.before(run) else NONE
        self._notices.began(run, execution)
        try:
            result = self._made(function, execution, plain, call)
        except BaseException as error:
            watch.after(run, execution, error)
            raise
        watch.after(run, execution, None)
        return result

    def _made(self, function: KnownFunction, execution: int, plain: Any, call: tuple[Any, ...]) -> Any:
        """What a call gives whose execution has begun."""
        recorder = self._recorder
        if execution == NONE:
            with recorder.left_out():
                return self._functions.call_plain(recorder, plain, call)
        failed = True
        try:
            result = plain(*call)
            failed = False
        except Exception as error:
            with recorder.guard(f"noting the error of {function.name}"):
                self._note_failed_call(error, call[2], execution)
            raise
        finally:
            with recorder.guard(f"recording the end of {function.name}"):
                recorder.end_call(execution, failed=failed)
        with recorder.guard(f"marking the results of {function.name}"):
            for slot, tensor in enumerate(result or ()):
                setattr(tensor, MARK, (recorder, input_reference(execution, slot), ~function.number))
        return result

    def _begin(self, function: KnownFunction, inputs: Any) -> int:
        """The execution of a call, `NONE` where it is left out."""
        execution = NONE
        with self._recorder.guard(f"recording the call of {function.name}"):
            execution = self._begin_call(function, inputs)
        return execution  # noqa: RET504  a fault leaves it as it was

    def _begin_call(self, function: KnownFunction, inputs: Any) -> int:
        recorder = self._recorder
        # Most calls of a recording under a budget are left out: nothing may be done for them before it is known.
        step = recorder.wanted_call(function.step_key)
        if step == NONE:
            return NONE
        self._visible_devices.note(recorder)
        recorder.catalog.use_function(function.number)
        references = [getattr(tensor, MARK, _UNKNOWN) for tensor in inputs]
        known = [reference if maker is recorder else UNKNOWN_INPUT for maker, reference, _ in references]
        for position in function.handles:
            known[position] = self._handle(inputs[position])
        frame = sys._getframe(3)  # noqa: SLF001
        site = self._site(function.name, stack_key(frame), None)
        return recorder.begin_call(site, function.number, step, known)

    def _handle(self, given: Any) -> int:
        """The reference of a resource that a function is given: which variable's handle it is."""
        self._variables.learn_alive(given)
        number = self._variables.number_of(given)
        if number == NONE:
            return UNKNOWN_INPUT
        self._recorder.catalog.use_variable(number)
        return variable_reference(number)

    def _operation(self, op_type: str, inputs: Any, result: Any, settings: Sequence[Any] | None) -> None:
        """Records an eager operation that has just run."""
        recorder = self._recorder
        if recorder.pace is not None:
            recorder.pace.operation()
        if recorder.rests:
            return
        key = stack_key(sys._getframe(2))  # noqa: SLF001
        # Most operations take nothing but what others made: no variable, no dataset, nothing from outside.
        references = self._results.references(inputs)
        plainly = references is not None and op_type not in GIVING
        given = [] if plainly else flat(inputs)
        if plainly:
            site = self._site(op_type, key, (), None, settings)
        else:
            site = self._site(op_type, key, self._touched(given), self._from_outside(op_type, given), settings)
        step = recorder.wanted_step(site)
        if step == NONE:
            return
        if references is None:
            references = [self.known_input(value, key, place) for place, value in enumerate(given)]
        execution = recorder.begin_operation(site, step, references)
        self._layers.ran(execution, site)
        is_one = type(result) is self._tensor_type
        at_hand = [
            self._results.record(execution, site, slot, tensor)
            for slot, tensor in enumerate((result,) if is_one else results_of(result))
        ]
        if plainly and is_one and at_hand == [True]:
            self._known.learn(op_type, key, site)
        if given and (slots := slots_of(op_type)).names:
            self._slots(slots, given, key)
        if recorder.watch is not None and recorder.watch.each_operation:
            recorder.watch.operation(site, execution, sys._getframe(2))  # noqa: SLF001

    def _touched(self, given: list[Any]) -> tuple[int, ...]:
        """The variables whose handles are among the inputs."""
        return tuple(number for value in given if (number := self._variable(value)) != NONE)

    def _from_outside(self, op_type: str, given: list[Any]) -> FromOutside | None:
        """The variable that is read, or the dataset that an element is taken out of."""
        if op_type in READERS:
            return FromOutside(NONE, given[0])
        if op_type not in GIVING:
            return None
        return FromOutside(NONE, None, dataset_name(sys._getframe(3), self._recorder.catalog.user_code.is_user))  # noqa: SLF001

    def _failed(self, error: Exception, op_type: str, inputs: Any) -> None:
        """Notes that an eager operation raised; most such errors are caught, so little is done until it is the end."""
        recorder = self._recorder
        self._notices.raised()
        if not recorder.active or recorder.resting or op_type in SILENT:
            return
        with recorder.guard(f"noting the error of {op_type}"):
            key = stack_key(sys._getframe(2))  # noqa: SLF001
            site = self._site(op_type, key, ())

            def begin(error: BaseException) -> int:
                references = [self.known_input(value, key, place, error) for place, value in enumerate(flat(inputs))]
                return recorder.begin_failed(site, recorder.next_step(site), references)

            note_failure(error, failed_eagerly(site, begin))

    def _note_failed_call(self, error: Exception, op_type: Any, execution: int) -> None:
        name = op_type if isinstance(op_type, str) else op_type.decode()
        raw = str(getattr(error, "message", error))
        note_failure(error, failed_in_function(self._recorder.catalog, name, execution, raw))

    def _variable(self, value: Any) -> int:
        """The variable whose handle an input is, `NONE` where it is something else."""
        if not hasattr(value, "_datatype_enum") or value._datatype_enum() != dtypes.RESOURCE:  # noqa: SLF001
            return NONE
        self._variables.learn_alive(value)
        return self._variables.number_of(value)

    def known_input(self, value: Any, key: StackKey, place: int, raised: BaseException | None = None) -> int:
        """The reference of one input; what comes from outside is recorded first."""
        given = value
        if isinstance(value, resource_variable_ops.BaseResourceVariable):
            return self._read(value, key)
        if not hasattr(value, "_datatype_enum"):
            value = as_tensor(value)
            if value is None:
                return UNKNOWN_INPUT
        maker, reference, _ = getattr(value, MARK, _UNKNOWN)
        if maker is self._recorder:
            return int(reference)
        if value._datatype_enum() not in dtypes.RECORDED:  # noqa: SLF001
            return UNKNOWN_INPUT
        site = self._site("Input", key, (), FromOutside(place, given, raised=raised))
        return self._record_source(site, value)

    def _read(self, variable: Any, key: StackKey) -> int:
        """A variable given where a tensor is wanted is read inside TensorFlow, unseen; its value is recorded here."""
        self._variables.learn_once(variable)
        number = self._variables.number_of(variable.handle)
        with record.stop_recording():
            value = self._entries.fast_path(
                context.context(), "ReadVariableOp", None, variable.handle, "dtype", variable.dtype
            )
        touched = (number,) if number != NONE else ()
        site = self._site("ReadVariableOp", key, touched, FromOutside(NONE, variable.handle))
        return self._record_source(site, value)

    def _slots(self, slots: Slots, given: list[Any], key: StackKey) -> None:
        """What an optimizer keeps beside a variable is read inside TensorFlow too, after the update."""
        rows = [given[slots.rows]] if slots.rows >= 0 else []
        for handle in (given[position] for position in slots.positions):
            number, dtype = self._variables.number_of(handle), dtype_behind(handle)
            if number == NONE or dtype is None:
                continue
            with record.stop_recording():
                value = self._entries.fast_path(
                    context.context(), slots.reader, None, handle, *rows, "dtype", dtype
                )  # fmt: skip
            self._record_source(self._site(slots.reader, key, (number,)), value)

    def _record_source(self, site: int, value: Any) -> int:
        """Records a tensor that no recorded operation made, as an execution of its own."""
        recorder = self._recorder
        execution = recorder.begin_operation(site, recorder.next_step(site), [])
        self._results.record(execution, site, 0, value)
        return input_reference(execution, 0)

    def _site(
        self,
        op_type: str,
        key: StackKey,
        variables: tuple[int, ...] | None,
        given: FromOutside | None = None,
        settings: Sequence[Any] | None = None,
    ) -> int:
        """The number of a site; of variables those that it touches, `None` where it calls a function."""
        # A model calls all its layers from one line.
        layer, (place, dataset) = self._layers.path, (NONE, "") if given is None else (given.place, given.dataset)
        asked = (op_type, key, variables, layer, place, dataset)
        known = self._sites.get(asked)
        if known is not None:
            self._recorder.catalog.use_site(known)
            return known
        with self._recorder.catalog.lock:
            known = self._sites.get(asked)  # another thread may have come first
            if known is None:
                known = self._sites[asked] = self._new_site(op_type, key, variables, given, settings)
        return known

    def _new_site(
        self,
        op_type: str,
        key: StackKey,
        variables: tuple[int, ...] | None,
        given: FromOutside | None,
        settings: Sequence[Any] | None,
    ) -> int:
        catalog = self._recorder.catalog
        number = catalog.new_sites(1)
        attributes = site_attributes(op_type, settings, sys._getframe(2))  # noqa: SLF001
        described = replace(self._describe(number, op_type, key, variables), attributes=attributes)
        is_own = catalog.user_code.is_user
        named = described if given is None else named_from_outside(described, given, sys._getframe(1), is_own)  # noqa: SLF001
        catalog.add_sites(self._backward.marked([named]))
        return number

    def _describe(self, number: int, op_type: str, key: StackKey, variables: tuple[int, ...] | None) -> Site:
        self._layers.look()
        touched, calls = variables or (), variables is None
        stack = self._stacks.current(key, sys._getframe(4))  # noqa: SLF001
        return Site(
            number, op_type, "PartitionedCall" if calls else op_type, NONE, stack,
            device=context.context().device_name or "", call=CallKind.CALL if calls else CallKind.NONE,
            reads=touched if op_type in READERS else (), writes=touched if writes(op_type) else (),
            framework=TENSORFLOW,
        )  # fmt: skip
