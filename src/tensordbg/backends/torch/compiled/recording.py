"""Records what `torch.compile` compiles, from when the program first uses it."""

from __future__ import annotations

import sys
from types import CodeType, FrameType, ModuleType
from typing import Any, ClassVar
from weakref import WeakSet

from tensordbg.backends.torch.compiled.describing import Describer
from tensordbg.backends.torch.compiled.dynamo import compiled_codes
from tensordbg.backends.torch.compiled.internals import WATCHED, Hooks
from tensordbg.backends.torch.compiled.probes import Probes
from tensordbg.backends.torch.compiled.rerunning import Rerun
from tensordbg.model import TensorRef
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.recorder import Recorder

_TOO_LATE = (
    "what torch.compile had compiled by Inductor before the recording began is not seen inside; begin earlier, or call "
    "`torch._dynamo.reset()` first, which has it compiled anew"
)
_NOT_THIS_VERSION = (
    "what torch.compile compiles by Inductor is not seen inside, since this version of PyTorch {}; compile with "
    "`backend='aot_eager'`, whose operations are recorded one by one, at the cost of eager steps and with their numbers"
)
_probes = Probes(Describer(CATALOG))


class Compiled:
    """The recording of compiled code."""

    _seen_inside: ClassVar[WeakSet[CodeType]] = WeakSet()
    """What was compiled while something was recorded."""

    def __init__(self) -> None:
        self._before: WeakSet[CodeType] = WeakSet()
        self._hooks = Hooks()
        self._watch: ImportWatch | None = None

    def install(self, recorder: Recorder, observer: ModuleType) -> None:
        """Sets the hooks, as soon as the compiler is imported: most programs never do."""
        rerun = Rerun(recorder, observer)

        def on_bad(execution: int, site: int, slot: int) -> None:
            graph = _probes.graph_of(site)
            around: FrameType | None = sys._getframe(1)  # noqa: SLF001  the generated code
            if graph is not None and around is not None:
                with recorder.guard("running the operations of a kernel again"):
                    variables: dict[str, Any] = dict(around.f_locals)
                    rerun.of(graph, TensorRef(site, slot), execution, variables)

        self._before = compiled_codes()
        if self._before - self._seen_inside:
            recorder.fact({"warning": _TOO_LATE})
        observer.watch_compiled(on_bad)
        _probes.use(recorder, observer)
        self._watch = ImportWatch({WATCHED: lambda: self._set(recorder)})
        self._watch.start()

    def uninstall(self) -> None:
        """Takes them out again; what was compiled with probes goes on without anything being recorded."""
        if self._watch is not None:
            self._watch.stop()
        self._hooks.remove()
        self._seen_inside.update(compiled_codes() - self._before)
        _probes.use(None, None)

    def _set(self, recorder: Recorder) -> None:
        # Who records a step now and then wants the others to be as fast as they are.
        if recorder.records_all:
            self._hooks.leave_out_cuda_graphs()
        self._hooks.set_or_say(_probes.lines, _probes.loaded, lambda why: recorder.warn(_NOT_THIS_VERSION.format(why)))
