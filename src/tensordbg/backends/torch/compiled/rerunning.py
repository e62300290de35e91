"""Runs the operations of a fused kernel again, eagerly, when it has stored something that is not finite.

They are recorded as what they are. Where this gives finite numbers alone, only the compiled code makes the bad one.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.describing import Graph
from tensordbg.backends.torch.compiled.values import GoneError, Values, computing
from tensordbg.model import TensorRef
from tensordbg.recording.recorder import Recorder

_MOST = 16
"""So often one operation's kernel runs again: what goes bad in each step would cost each step twice."""


class Rerun:
    """Is told of each bad number of a compiled graph."""

    def __init__(self, recorder: Recorder, observer: ModuleType) -> None:
        self._recorder = recorder
        self._observer = observer
        self._times: dict[int, int] = {}
        self._execution = -1
        self._recorded: set[int] = set()
        """Sites of which the execution has been told."""

    def of(self, graph: Graph, ref: TensorRef, execution: int, variables: dict[str, Any]) -> None:
        """Runs again what was fused into a result.

        Args:
            graph: The graph.
            ref: What was stored.
            execution: The call of the graph.
            variables: Those of the generated code, at the point where it was.
        """
        if execution != self._execution:
            self._execution, self._recorded = execution, set()
        times = self._times.get(ref.site, 0)
        if times >= _MOST:
            return
        self._times[ref.site] = times + 1
        node = next((each for each, known in graph.references.items() if known.site == ref.site), None)
        if node is None:
            return
        import torch

        found = Values(graph, variables, node)
        with computing():
            try:
                result = found.compute(node)
            except GoneError:
                result = None
                found.walk(lambda *_: False)
            self._record(graph, found)
        if result is None:
            return
        again = result[ref.slot] if isinstance(result, (list, tuple)) else result
        if isinstance(again, torch.Tensor) and bool(torch.isfinite(again).all()):
            self._say_finite(ref.site)

    def _record(self, graph: Graph, found: Values) -> None:
        import torch

        for node in (*found.computed, found.wanted):
            for site, number in graph.numbers.get(node, ()):
                self._tell(site, torch.tensor(number, dtype=torch.float64, device="cpu"))
        for node, value in found.computed.items():
            if (node, 0) not in graph.buffers:
                self._tell(graph.references[node].site, value)

    def _tell(self, site: int, value: Any) -> None:
        from torch import Tensor

        if site in self._recorded:
            return
        self._recorded.add(site)
        for slot, each in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            if isinstance(each, Tensor):
                self._observer.probe_again(site, slot, each)

    def _say_finite(self, number: int) -> None:
        site = self._recorder.catalog.site(number)
        frames = [frame for frame in self._recorder.catalog.frames(site.stack) if frame.user] if site.stack >= 0 else []
        place = f" ({frames[-1].file}:{frames[-1].line})" if frames else ""
        told = (
            f"what was fused into {site.name}, {site.op_type}{place}, was run again, eagerly, on the same numbers and "
            "is finite: only the compiled code makes it bad; compare with `backend='aot_eager'`"
        )
        self._recorder.fact({"warning": told})
