"""Records PyTorch: builds and starts the observer of operations, sets the hooks of modules and optimizers."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any

from tensordbg import _native
from tensordbg.backends.torch.attributes.groups import Groups
from tensordbg.backends.torch.building import BuildError, build, installed, load
from tensordbg.backends.torch.compiled.recording import Compiled
from tensordbg.backends.torch.debug.operations import Operations
from tensordbg.backends.torch.debug.runs import Runs
from tensordbg.backends.torch.failures.data_workers import watch_workers
from tensordbg.backends.torch.failures.failed_operation import Failures
from tensordbg.backends.torch.failures.sent_items import watch_batches
from tensordbg.backends.torch.gpu.measuring import RECORDING as GPUS
from tensordbg.backends.torch.processes import watch_processes
from tensordbg.backends.torch.program.modules import Modules
from tensordbg.backends.torch.program.steps import Steps
from tensordbg.backends.torch.program.variables import Variables
from tensordbg.backends.torch.sites import Sites
from tensordbg.model import StatedTensor
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.log import made_by
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import RunWatch
from tensordbg.trace.program.process import ProcessPlace

_CAPTURED = (
    "what a CUDA graph runs when it is replayed is not seen; to see it, run without `torch.cuda.graph` (and, in a "
    "recording of some steps, without mode='reduce-overhead')"
)
_variables = Variables(CATALOG)
_modules = Modules(CATALOG, _variables)
_sites = Sites(CATALOG, _modules)
_failures = Failures(CATALOG, _modules)
_installed: TorchRecording | None = None
"""The recording whose hooks are set."""


def note_variable(tensor: Any, number: int | None, name: str, *, trainable: bool) -> int:
    """Tells the recording that a tensor is a variable: one that is known by a number, or a new one of this name."""
    if number is None:
        return _variables.add_tensor(tensor, name, trainable=trainable)
    _variables.stand_for(tensor, number)
    return number


def note_gradient(tensor: Any, variable: int) -> None:
    """Tells the recording that a tensor is the gradient of a variable."""
    observer = _variables.observer
    made = None if observer is None else observer.maker_of(tensor)
    if made is not None:
        _variables.set_gradient(variable, *made)


def operation_of(error: BaseException) -> str:
    """The name of the operation that raised, empty where none did."""
    failed = None if _installed is None else _installed.failure(error)
    return "" if failed is None or failed.site < 0 else CATALOG.site(failed.site).name


def _look_on(observer: Any, looking: bool) -> None:
    """Looks at operations and modules, or at nothing, until it is told otherwise."""
    observer.rest(not looking)
    (_modules.wake if looking else _modules.rest)()


def _observer(recorder: Recorder) -> Any:
    """The compiled observer; where it can't be built, that in Python takes its place."""
    try:
        return load(build(installed()))
    except (BuildError, ImportError) as error:
        from tensordbg.backends.torch.dispatching.observer import DispatchObserver, losses

        recorder.warn(
            f"PyTorch is recorded by an observer in Python, {losses()}: {error}; `tdbg build torch` tries again"
        )
        return DispatchObserver()


class TorchRecording:
    """Records PyTorch's eager operations, forward and backward."""

    def __init__(self) -> None:
        self._hooks = contextlib.ExitStack()
        self._recorder: Recorder | None = None
        self._observer: Any = None

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; the observer is built where it is not there yet."""
        observer = _observer(recorder)

        def fail(message: str) -> None:
            recorder.fail("recording an operation of PyTorch", RuntimeError(message))

        import torch

        if recorder.graphs is not None:
            recorder.warn(
                "--graphs keeps nothing more of PyTorch: graphs of `torch.compile` are kept always, eager code has none"
            )
        global _installed  # noqa: PLW0603  one recording in a process
        _installed = self
        self._recorder, self._observer = recorder, observer
        groups = Groups(_sites.describe, lambda: _note_rank(recorder))
        told = (groups.describe, _sites.forget_fractions, fail, _variables.set_gradient)
        observer.start(_native.log_table(), *told, torch._C.TensorBase)  # noqa: SLF001
        GPUS.install(observer, recorder.warn)
        self._hooks.callback(GPUS.uninstall)
        _variables.install(observer)
        watch_processes()
        self._hooks.callback(self._note_reads, recorder, observer)
        self._hooks.callback(_say_captured, recorder, observer)
        self._hooks.callback(observer.stop)
        _modules.install(observer)
        self._hooks.callback(_modules.uninstall)
        if recorder.pace is not None:
            recorder.pace.when_changed(partial(_look_on, observer))
        self._hooks.callback(_look_on, observer, True)
        compiled = Compiled()
        compiled.install(recorder, observer)
        self._hooks.callback(compiled.uninstall)
        self._hooks.callback(watch_workers())
        self._hooks.callback(watch_batches())
        steps = Steps(_variables, partial(_look_on, observer))
        steps.install(recorder, observer)
        self._hooks.callback(steps.uninstall)
        if recorder.watch is not None:
            self._tell_debugger(recorder, recorder.watch, observer)

    def _tell_debugger(self, recorder: Recorder, watch: RunWatch, observer: Any) -> None:
        runs = _modules.runs = Runs(recorder, watch)
        runs.install()
        self._hooks.callback(runs.uninstall)
        self._hooks.callback(setattr, _modules, "runs", None)
        Operations(recorder).install(observer)

    def uninstall(self) -> None:
        """Takes the hooks out again, the last first."""
        self._hooks.close()

    def _note_reads(self, recorder: Recorder, observer: Any) -> None:
        """Says which bad numbers the program has read: what nobody uses is no result of it."""
        if not recorder.records_all:
            recorder.fact({"reads": None})
            return
        values = []
        for reference, site in observer.bad_reads():
            stack = CATALOG.site(site).stack
            CATALOG.use_stack(stack)
            values.append([*made_by(reference), stack])
        held = [made_by(reference) for reference in observer.bad_held()]
        recorder.fact({"reads": {"values": values, "always": [], "held": held}})

    def failure(self, error: BaseException) -> FailedOperation | None:
        """Describes an error that an operation of PyTorch's raised, or its Python code."""
        if self._recorder is None or self._observer is None:
            return None
        return _failures.failure(error, self._recorder, self._observer)

    def data_behind(self, _error: BaseException) -> tuple[StatedTensor, ...]:
        """Nothing: a `DataLoader` hands on what the program's own code gave it."""
        return ()

    def own_operations(self) -> list[str]:
        """Types that the program has brought along are not told from others."""
        return []

    def versions(self) -> dict[str, str]:
        """The version of PyTorch."""
        import torch  # imported by the program already

        return {"torch": str(torch.__version__)}


def _say_captured(recorder: Recorder, observer: Any) -> None:
    """Says that there was something which nobody sees."""
    if observer.has_captured():
        recorder.warn(_CAPTURED)


def _note_rank(recorder: Recorder) -> None:
    """Notes which of its processes this one is; a program need not say so in the environment."""
    with recorder.guard("asking for the rank of this process"):
        import torch.distributed

        if torch.distributed.is_initialized():
            recorder.note_place(ProcessPlace(task="rank", index=torch.distributed.get_rank()))
