"""Records PyTorch: builds and starts the observer of operations, sets the hooks of modules and optimizers."""

from __future__ import annotations

import contextlib
from types import ModuleType

from tensordbg import _native
from tensordbg.backends.torch.building import BuildError, build, installed, load
from tensordbg.backends.torch.compiled.recording import Compiled
from tensordbg.backends.torch.modules import Modules
from tensordbg.backends.torch.sites import Sites
from tensordbg.backends.torch.steps import Steps
from tensordbg.backends.torch.variables import Variables
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.log import made_by
from tensordbg.recording.recorder import Recorder

_variables = Variables(CATALOG)
_modules = Modules(CATALOG, _variables)
_sites = Sites(CATALOG, _modules)


class TorchRecording:
    """Records PyTorch's eager operations, forward and backward."""

    def __init__(self) -> None:
        self._hooks = contextlib.ExitStack()

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; the observer is built where it is not there yet."""
        try:
            observer = load(build(installed()))
        except (BuildError, ImportError) as error:
            recorder.warn(f"PyTorch is not recorded: {error}; `tdbg build torch` tries again")
            return

        def fail(message: str) -> None:
            recorder.fail("recording an operation of PyTorch", RuntimeError(message))

        import torch

        told = (_sites.describe, fail, _variables.set_gradient)
        observer.start(_native.log_table(), *told, torch._C.TensorBase)  # noqa: SLF001
        _variables.install(observer)
        self._hooks.callback(self._note_reads, recorder, observer)
        self._hooks.callback(observer.stop)
        _modules.install(observer)
        self._hooks.callback(_modules.uninstall)
        compiled = Compiled()
        compiled.install(recorder, observer)
        self._hooks.callback(compiled.uninstall)
        steps = Steps(_variables)
        steps.install(recorder, observer)
        self._hooks.callback(steps.uninstall)

    def uninstall(self) -> None:
        """Takes the hooks out again, the last first."""
        self._hooks.close()

    def _note_reads(self, recorder: Recorder, observer: ModuleType) -> None:
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

    def failure(self, error: BaseException) -> FailedOperation | None:  # noqa: ARG002
        """Nothing is known of errors yet."""
        return None

    def own_operations(self) -> list[str]:
        """Types that the program has brought along are not told from others."""
        return []

    def versions(self) -> dict[str, str]:
        """The version of PyTorch."""
        import torch  # imported by the program already

        return {"torch": str(torch.__version__)}
