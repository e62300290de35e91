"""Notes the calls of what `torch.compile` has compiled: the step log sees few of the operations in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, ClassVar
from weakref import WeakSet

from tensordbg.backends.torch.compiled import dynamo, internals
from tensordbg.backends.torch.trap.step_log import StepLog
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.saying import say

_TOO_LATE = (
    "warning: steps of what torch.compile had compiled before the trap was set can't be replayed; set it earlier, or "
    "call `torch._dynamo.reset()` first, which has it compiled anew"
)
_UNSEEN = "warning: captures of what torch.compile compiles can be shown and not replayed: this version of PyTorch {}"


@dataclass(frozen=True)
class CompiledGraph:
    """A graph as Inductor was given it."""

    module: Any
    """With the FX graph and its constants."""
    compilation: str
    """Names that of its function, which the graphs of its forward and backward pass share."""
    backward: bool
    constants: tuple[str, ...]
    """Names of the module's tensors that it takes, besides its arguments."""
    written: frozenset[int]
    """Which arguments it writes."""


class CompiledCalls:
    """Stands around the calls of compiled graphs while a trap is set."""

    graphs: ClassVar[list[CompiledGraph]] = []
    """Those of this process, by the numbers that the log has for them."""
    _current: ClassVar[CompiledCalls | None] = None
    _seen_inside: ClassVar[WeakSet[CodeType]] = WeakSet()
    """What was compiled while a trap was set."""

    def __init__(self, log: StepLog, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """Prepares; `guard` is entered around code of ours inside the program."""
        self._log = log
        self._guard = guard
        self._before: WeakSet[CodeType] = WeakSet()
        self._hooks = internals.Hooks()
        self._watch = ImportWatch({internals.WATCHED: self._set})

    def install(self) -> None:
        """Sets the hooks, as soon as the compiler is imported: most programs never do."""
        self._before = dynamo.compiled_codes()
        if self._before - self._seen_inside:
            say(_TOO_LATE)
        CompiledCalls._current = self
        self._watch.start()

    def uninstall(self) -> None:
        """Takes them out again; what was compiled meanwhile goes on as it is, unnoted."""
        CompiledCalls._current = None
        self._watch.stop()
        self._hooks.remove()
        self._seen_inside.update(dynamo.compiled_codes() - self._before)

    def _set(self) -> None:
        self._hooks.set_or_say(lambda _graph, _stored: [], _loaded, lambda why: say(_UNSEEN.format(why)))

    @staticmethod
    def noted(plain: Callable[[Any], Any], number: int) -> Callable[[Any], Any]:
        """The code of a graph, each call of which is noted where a trap is set."""
        graph = CompiledCalls.graphs[number]
        constants = [getattr(graph.module, name) for name in graph.constants]
        written = set(graph.written)

        def call(inputs: Any) -> Any:
            current, results, noted = CompiledCalls._current, None, False
            if current is None:
                return plain(inputs)
            with current._guard("noting a call of a compiled graph"):  # noqa: SLF001  its own
                noted = current._log.enter_compiled(number, [*inputs, *constants], written)  # noqa: SLF001  likewise
            try:
                results = plain(inputs)
                return results
            finally:
                if noted:
                    with current._guard("noting the results of a compiled graph"):  # noqa: SLF001  likewise
                        current._log.leave_compiled(None if results is None else tuple(results))  # noqa: SLF001  likewise

        return call


def _loaded(lowering: Any, module: ModuleType) -> None:
    """Has the calls of the code noted that was made of a graph."""
    graph = CompiledGraph(
        lowering.module,
        dynamo.compilation()[1],
        internals.is_backward(lowering),
        tuple(_constants(lowering.module)),
        frozenset(_written(lowering.module.graph)),
    )
    CompiledCalls.graphs.append(graph)
    module.__dict__["call"] = CompiledCalls.noted(module.__dict__["call"], len(CompiledCalls.graphs) - 1)


def _constants(module: Any) -> Iterator[str]:
    from torch import Tensor

    for node in module.graph.nodes:
        if node.op == "get_attr" and isinstance(getattr(module, node.target), Tensor):
            yield node.target


def _written(graph: Any) -> Iterator[int]:
    """The arguments that a graph writes, also by a view of them."""
    arguments = {node: place for place, node in enumerate(each for each in graph.nodes if each.op == "placeholder")}
    lies_in = dict(arguments)
    for node in graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if node.op != "call_function" or schema is None:
            continue
        for argument, given in zip(schema.arguments, node.args, strict=False):
            if argument.alias_info is None or not _is_node(given) or given not in lies_in:
                continue
            if argument.alias_info.is_write:
                yield lies_in[given]
            lies_in[node] = lies_in[given]


def _is_node(value: Any) -> bool:
    from torch.fx import Node

    return isinstance(value, Node)
