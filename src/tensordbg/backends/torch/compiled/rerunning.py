"""Runs the operations of a fused kernel again, eagerly, when it has stored something that is not finite.

A kernel keeps to itself what it computes on the way. What it was computed from is mostly still there when its result
is looked at, so the operations between are run again on that, and recorded as what they are. Where this gives finite
numbers alone, only the compiled code makes the bad one.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.describing import Graph
from tensordbg.model import TensorRef
from tensordbg.recording.recorder import Recorder

_MOST = 16
"""So often one operation's kernel runs again: what goes bad in each step would cost each step twice."""


class _GoneError(Exception):
    """What would be needed is not there any more, or can't be computed again."""


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
        from torch.utils._python_dispatch import _disable_current_modes

        found = _Values(graph, variables, node)
        with torch.no_grad(), torch.amp.autocast("cpu", enabled=False), _disable_current_modes():
            try:
                result = found.compute(node)
            except _GoneError:
                result = None
            self._record(graph, found)
        if result is None:
            return
        again = result[ref.slot] if isinstance(result, (list, tuple)) else result
        if isinstance(again, torch.Tensor) and bool(torch.isfinite(again).all()):
            self._say_finite(ref.site)

    def _record(self, graph: Graph, found: _Values) -> None:
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


class _Values:
    """The values of operations, from the buffers that are there, else computed."""

    def __init__(self, graph: Graph, variables: dict[str, Any], wanted: Any) -> None:
        self._graph = graph
        self._variables = variables
        self.wanted = wanted
        self._known: dict[Any, Any] = {}
        self.computed: dict[Any, Any] = {}
        """What was run again, but for the one that was stored."""

    def value(self, node: Any) -> Any:
        """The value of an operation, an argument or a constant."""
        if node not in self._known:
            self._known[node] = self._find(node)
        return self._known[node]

    def compute(self, node: Any) -> Any:
        """Runs an operation."""
        import torch

        target = node.target
        if node.op != "call_function":
            raise _GoneError
        if isinstance(target, torch._ops.OpOverload):  # noqa: SLF001  what FX calls its operations
            if target._schema.is_mutable or torch.Tag.nondeterministic_seeded in target.tags:  # noqa: SLF001
                raise _GoneError
            if target.namespace == "prims" and target.__name__.startswith("inductor_"):
                raise _GoneError
        elif getattr(target, "__module__", "") not in ("_operator", "math"):
            raise _GoneError
        arguments = torch.fx.node.map_arg(node.args, self.value)
        words = torch.fx.node.map_arg(node.kwargs, self.value)
        return target(*arguments, **words)

    def _find(self, node: Any) -> Any:
        import operator

        if node.op == "get_attr":
            return getattr(self._graph.module, node.target)
        if node.op == "placeholder":
            return self._variable(node.target)
        key = (node, 0)
        if node.op == "call_function" and node.target is operator.getitem:
            key = (node.args[0], int(node.args[1]))
        name = self._graph.buffers.get(key)
        if name in self._variables and node is not self.wanted and self._fits(node, self._variables[name]):
            return self._variables[name]
        result = self.compute(node)
        if node in self._graph.references and node.target is not operator.getitem:
            self.computed[node] = result
        return result

    def _variable(self, name: str) -> Any:
        if name not in self._variables:
            raise _GoneError
        return self._variables[name]

    def _fits(self, node: Any, value: Any) -> bool:
        expected = node.meta.get("val")
        if len(expected.shape) != value.dim():
            return False
        return all(
            not isinstance(want, int) or want == have for want, have in zip(expected.shape, value.shape, strict=True)
        )
