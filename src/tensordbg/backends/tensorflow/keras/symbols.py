"""Notes where the symbolic tensors of Keras are made, of which models are put together: `x = layers.Dense(8)(inputs)`.

They hold no numbers and are in no graph, so that nothing tells of them, until one is refused. A model is put together
once, so each may be noted as it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import NONE
from tensordbg.recording.recorder import Recorder

_STACK = "_tensordbg_stack"


class KerasSymbols:
    """The hook into what Keras makes for each call of an operation or a layer on symbolic tensors."""

    def __init__(self, recorder: Recorder, stacks: Stacks) -> None:
        self._recorder = recorder
        self._stacks = stacks
        self._methods = ReplacedMethods(recorder.guard)

    def install(self) -> None:
        """Looks on from now on, as soon as Keras is there."""
        self._methods.install(Method("keras.src.ops.node", "Node.__init__", self._noting))

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._methods.uninstall()

    def _noting(self, plain: Any) -> Any:
        def __init__(node: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  it shows in tracebacks
            plain(node, *args, **kwargs)
            if self._recorder.active:
                with self._recorder.guard("looking at where a symbolic tensor is made"):
                    stack = self._stacks.here()
                    for each in node.outputs:
                        setattr(each, _STACK, stack)

        return __init__


def is_symbol(value: Any) -> bool:
    """Whether a value is a symbolic tensor of Keras that is known to be made by an operation."""
    return getattr(getattr(value, "_keras_history", None), "operation", None) is not None


def made_by_operation(symbol: Any) -> tuple[str, str]:
    """The name of a symbolic tensor, by the operation or layer that made it, and the class of that."""
    operation, _, slot = symbol._keras_history  # noqa: SLF001  Keras tells it nowhere else
    name = str(operation.name)
    return (f"{name}:{slot}" if slot else name), type(operation).__name__


def made_from(symbol: Any) -> Sequence[Any]:
    """The symbolic tensors that one was made from."""
    operation, node, _ = symbol._keras_history  # noqa: SLF001
    nodes = operation._inbound_nodes  # noqa: SLF001
    return list(nodes[node].input_tensors) if node < len(nodes) else []


def stack_of(symbol: Any) -> int:
    """The number of the stack at which a symbolic tensor was made; `NONE` where nobody looked on."""
    return int(getattr(symbol, _STACK, NONE))
