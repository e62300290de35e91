"""The observer in Python, with the functions of the compiled one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from tensordbg.backends.torch.dispatching.compiled import CompiledCalls, Entered, OnBad
from tensordbg.backends.torch.dispatching.looking import Looking, Stated, stated
from tensordbg.backends.torch.dispatching.makers import UNKNOWN
from tensordbg.backends.torch.dispatching.mode import KEEPS_COMPILER, Modes
from tensordbg.backends.torch.dispatching.places import Describe, Places
from tensordbg.backends.torch.dispatching.reads import watch_reads
from tensordbg.backends.torch.dispatching.table import LogTable
from tensordbg.backends.torch.dispatching.tensors import has_elements
from tensordbg.backends.torch.gpu.kernels import GpuKernelError
from tensordbg.recording.guard import guarded


def losses() -> str:
    """Says in words how much recording by it costs and loses."""
    lost = "" if KEEPS_COMPILER else "; torch.compile runs eagerly meanwhile, so numbers differ from compiled ones"
    return f"several times slower, and without threads that run already{lost}"


class DispatchObserver:
    """Stands for the module of the compiled observer."""

    def __init__(self) -> None:
        self._on = False
        self._undo = contextlib.ExitStack()
        self._owned: set[tuple[int, int, int]] = set()

    def start(self, _table: object, describe: Describe, varies: Callable[[int], None], *told: Any) -> None:
        """Sees all operations of this thread, and of those that are started, from now on."""
        self._fail, self._gradient, _ = told
        self._log = LogTable()
        places = Places(describe, varies)
        self._looking = Looking(self._log, places, self._tell_gradient)
        self._calls = CompiledCalls(self._log, self._looking, places)
        self._modes = Modes(self._run)
        self._on = True
        self._modes.start()
        self._undo.enter_context(watch_reads(self._read))

    def stop(self) -> None:
        """Sees none from now on."""
        with self._kept_from_the_program():
            self._looking.end_node()
        self._on = False
        self._undo.close()
        self._modes.stop()

    def measure_on_gpu(self, _kernels: object, _kind: str) -> bool:
        """Refuses to: it would wait for the GPU at each operation.

        Raises:
            GpuKernelError: Always.
        """
        raise GpuKernelError("the observer in Python does not measure there")

    def set_step(self, step: int) -> None:
        """Counts all that runs now as of this step; nothing is recorded where it is -1."""
        self._looking.step = step

    def rest(self, _yes: object) -> None:
        """Sees operations all the same: its log rests."""

    def set_updating(self, yes: object) -> None:
        """Takes all that this thread runs now for an optimizer's step, or no longer."""
        with self._kept_from_the_program():
            self._looking.follow_node()
        self._looking.thread.updating = bool(yes)

    def watch_modules(
        self, begin: Callable[[Any, Any], int], _gives: object, gives_many: Callable[[int, Any], None]
    ) -> None:
        """Takes whom to ask and tell of modules."""
        self._begin, self._gives_many = begin, gives_many

    def in_module(self) -> bool:
        """Whether this thread is calling a module."""
        return bool(self._looking.thread.modules)

    def before_module(self, module: Any, _arguments: object) -> None:
        """Counts all that this thread runs now as of this module."""
        with self._kept_from_the_program():
            thread = self._looking.thread
            thread.updating = False
            thread.modules.drop_ended()
            thread.root = thread.root if thread.modules else module
            thread.modules.begin(self._begin(thread.root, module))

    def after_module(self, _module: object, _arguments: object, result: Any) -> None:
        """... and now to the one around it again."""
        with self._kept_from_the_program():
            number = self._looking.thread.modules.end()
            if number >= 0:
                self._gives_many(number, result)

    def add_variable(self, tensor: Any, number: int) -> None:
        """A tensor is a variable from now on."""
        with self._kept_from_the_program():
            if not has_elements(tensor):
                return
            makers = self._looking.makers
            makers.is_variable(tensor, number)
            if makers.variable_of(tensor) == number and self._log.recording():
                self._looking.enter_variable(tensor, number)

    def maker_of(self, tensor: Any) -> tuple[int, int] | None:
        """Site and slot of what made a tensor."""
        if not has_elements(tensor):
            return None
        maker = self._looking.makers.find(tensor).maker
        return None if maker.reference == UNKNOWN else (maker.site, maker.reference & 0xFFFF)

    def watch_compiled(self, on_bad: OnBad) -> None:
        """Has bad numbers told while the inputs of their kernel are still there."""
        self._calls.on_bad = on_bad

    def enter_compiled(self, inputs: Sequence[Any]) -> Entered | None:
        """A call of a compiled graph begins: see `CompiledCalls.enter`."""
        return self._calls.enter(inputs, self._on and self._log.recording())

    def run_compiled(self, execution: int) -> None:
        """Takes all that is stored as of this execution."""
        self._calls.run(execution)

    def probe(self, site: int, slot: int, tensor: Any) -> None:
        """A kernel has stored it."""
        with self._kept_from_the_program():
            if self._on:
                self._calls.probe(site, slot, tensor)

    def probe_again(self, site: int, slot: int, tensor: Any) -> None:
        """It was computed again, for a look into a kernel."""
        if self._on:
            self._calls.probe_again(site, slot, tensor)

    def leave_compiled(self, results: Sequence[Any] | None, keys: Sequence[int], written: int) -> None:  # noqa: ARG002
        """The call is over; tensors are known by their identity here, `written` ones too."""
        self._calls.leave(results, keys)

    def bad_reads(self) -> list[tuple[int, int]]:
        """Gives the bad numbers that were read: a reference and the reading's site, each."""
        return list(self._looking.reads)

    def has_captured(self) -> bool:
        """Whether something was captured into a CUDA graph; nothing on a GPU is measured here at all."""
        return False

    def bad_held(self) -> list[int]:
        """References of the bad numbers that are still there."""
        return self._looking.makers.bad_alive()

    def failures(self) -> list[tuple[int, int, list[Stated]]]:
        """Lists the operations that raised, the last one first: the site, the step, and what each was given."""
        return list(self._looking.failures)

    def failed_on_gpu(self) -> None:
        """None: an operation that failed on a GPU is not known here."""

    def known_tensor(self, tensor: Any) -> Stated | None:
        """Describes a tensor as of an operation that raised; None where nothing is known of it."""
        if not has_elements(tensor):
            return None
        reference = self._looking.makers.find(tensor).maker.reference
        return None if reference == UNKNOWN else stated(tensor, reference)

    def _run(self, function: Any, args: Any, named: Any) -> Any:
        looking, call = self._looking, None
        if self._on and not looking.thread.compiled and self._log.recording():
            with self._kept_from_the_program():
                call = looking.before(function, args, named)
        try:
            result = function(*args, **named)
        except Exception:
            if call is not None and self._on:
                with self._kept_from_the_program():
                    looking.failed(call)
            raise
        if call is not None and self._on:
            with self._kept_from_the_program():
                looking.after(call, result)
        return result

    def _read(self, tensor: Any) -> None:
        if self._on and self._log.recording():
            with self._kept_from_the_program():
                self._looking.read(tensor)

    def _tell_gradient(self, variable: int, site: int, slot: int) -> None:
        if (variable, site, slot) not in self._owned:
            self._owned.add((variable, site, slot))
            self._gradient(variable, site, slot)

    def _kept_from_the_program(self) -> contextlib.AbstractContextManager[None]:
        return guarded("looking on", self._faulted)

    def _faulted(self, _what: str, error: BaseException) -> None:
        if self._on:
            self._on = False
            self._fail(f"{type(error).__name__}: {error}")
