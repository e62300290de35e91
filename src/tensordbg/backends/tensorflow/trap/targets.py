"""Notes, while a program's functions are traced, which of their tensors are losses and gradients: what a trap tests.

A loss is what a gradient tape differentiates, a gradient what it gives for a variable, or what a Keras optimizer is
given. Where an optimizer scales the loss, the gradients are scaled too. An overflow there is no trouble, as the
optimizer leaves that step out itself and takes a smaller scale next time; unless the scale is as low as makes sense, or
the loss itself, before it is scaled, is not finite.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.methods import KERAS_LOSS_SCALE, KERAS_OPTIMIZERS, Method, ReplacedMethods
from tensordbg.recording.catalog import CATALOG
from tensordbg.trapping.targets import GRADIENT, LOSS, RATE, RESULT, ROLES, SCALE, TrapTarget

_NOTED: weakref.WeakKeyDictionary[Any, dict[tuple[str, int], TrapTarget]] = weakref.WeakKeyDictionary()
_SCALED: weakref.WeakSet[Any] = weakref.WeakSet()
"""What was noted in this process: a graph that was traced under one trap may run under a later one."""


class NotedTargets:
    """The tensors to be tested, by graph; keeps itself up to date while it is installed."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """`guard` runs code of ours inside the program."""
        self._guard = guard
        self._noted, self._scaled = _NOTED, _SCALED
        self._methods = ReplacedMethods(guard)

    def of(self, graph: Any) -> list[TrapTarget]:
        """The targets noted of a graph."""
        return list(self._noted.get(graph, {}).values())

    def install(self) -> None:
        """Looks on from now on."""
        self._methods.install(
            Method("tensorflow", "GradientTape.gradient", self._watching_tape),
            Method(KERAS_OPTIMIZERS, "BaseOptimizer.apply", self._watching_optimizer),
            Method(KERAS_LOSS_SCALE, "LossScaleOptimizer.scale_loss", self._watching_scale),
        )

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._methods.uninstall()

    def _watching_tape(self, plain: Any) -> Any:
        def gradient(tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            given = plain(tape, target, sources, *args, **kwargs)
            with self._guard("noting what a gradient tape gives"):
                self._note_tape(target, sources, given)
            return given

        return gradient

    def _watching_optimizer(self, plain: Any) -> Any:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            with self._guard("noting what an optimizer is given"):
                self._note_optimizer(optimizer, grads, trainable_variables)
            graph = _graph()
            made = len(graph.get_operations()) if graph is not None else 0
            result = plain(optimizer, grads, trainable_variables)
            with self._guard("noting a learning rate"):
                self._note_rate(optimizer, graph, made)
            return result

        return apply

    def _watching_scale(self, plain: Any) -> Any:
        def scale_loss(optimizer: Any, loss: Any) -> Any:
            scaled = plain(optimizer, loss)
            with self._guard("noting that a loss is scaled"):
                graph = _graph()
                if graph is not None:
                    self._note_scale(graph, loss, scaled)
            return scaled

        return scale_loss

    def _note_tape(self, target: Any, sources: Any, given: Any) -> None:
        import tensorflow as tf

        graph = _graph()
        if graph is None:
            return
        gradients = gradients_of(sources, given)
        for each, name in gradients:
            self.note(graph, each, GRADIENT, name)
        for each in tf.nest.flatten(target) if gradients and graph not in self._scaled else []:
            self.note(graph, each, LOSS, "")

    def _note_scale(self, graph: Any, loss: Any, scaled: Any) -> None:
        """What is tested is the loss as it was; the scale is the other number that went into the product."""
        self._scaled.add(graph)
        self.note(graph, loss, LOSS, "")
        for each in getattr(getattr(scaled, "op", None), "inputs", ()):
            if each is not loss and each.shape.rank == 0:
                self.note(graph, each, SCALE, "")

    def _note_optimizer(self, optimizer: Any, gradients: Any, variables: Any) -> None:
        graph = _graph()
        # What was scaled outside is unscaled in here, in a branch of the function: the trap is outside.
        if graph is None or any(each in self._scaled for each in _graphs_around(graph)):
            return
        known = list(variables if variables is not None else getattr(optimizer, "_trainable_variables", None) or ())
        names = [name_of(each) for each in known] if len(known) == len(list(gradients)) else [""] * len(list(gradients))
        for each, name in zip(gradients, names, strict=True):
            self.note(graph, each, GRADIENT, name)

    def _note_rate(self, optimizer: Any, graph: Any, made: int) -> None:
        """Notes the first read of the variable that holds the rate, of what an update has made of a graph."""
        rate = getattr(optimizer, "_learning_rate", None)
        handle = getattr(getattr(rate, "_value", rate), "handle", None)
        if graph is None or handle is None or any(each in self._scaled for each in _graphs_around(graph)):
            return
        inner = next((inner for outer, inner in graph.captures if outer is handle), handle)
        reads = (each for each in graph.get_operations()[made:] if each.type == "ReadVariableOp")
        for each in reads:
            if each.inputs[0] is inner:
                self.note(graph, each.outputs[0], RATE, name_of(rate))
                break

    def note(self, graph: Any, tensor: Any, role: str, variable: str) -> None:
        """Notes one tensor of a graph."""
        values = getattr(tensor, "values", tensor)  # of gradients of some rows only
        if getattr(values, "graph", None) is graph and values.dtype.base_dtype.is_floating:
            key = (values.op.name, values.value_index)
            self._noted.setdefault(graph, {}).setdefault(key, TrapTarget(*key, role, variable))


def named_targets(
    definition: Any, described: Description, noted: Sequence[TrapTarget]
) -> list[tuple[str, int, TrapTarget]]:
    """Targets of a graph under the names of the definition, with the dtypes, by role."""
    nodes = {node.name: node for node in definition.node_def}
    node_of = {CATALOG.site(site).name: nodes[name] for name, site in described.sites.items()}
    arguments = zip(described.function.arguments, definition.signature.input_arg, strict=True)
    argument_of = {CATALOG.site(site).name: argument for site, argument in arguments}
    found = []
    for each in noted:
        if each.operation in argument_of:
            argument = argument_of[each.operation]
            found.append((argument.name, argument.type, each))
        elif each.operation in node_of and node_of[each.operation].name in described.live:
            outputs = {output.slot: output for output in fd.outputs(node_of[each.operation])}
            found.append((outputs[each.slot].tensor, outputs[each.slot].dtype, each))
    kept = (one for one in found if one[1] in (dtypes.RECORDED if one[2].role == RESULT else dtypes.FLOATS))
    return sorted(kept, key=lambda one: ROLES.index(one[2].role))


def results_of(graph: Any) -> list[TrapTarget]:
    """The results of a function; its arguments where it returns nothing that can be kept."""
    given = [each for each in graph.inputs if _can_be_kept(each)]
    # With a forward pass that a tape wants there come tensors that the backward pass needs, arguments too.
    returned = [each for each in graph.outputs if _can_be_kept(each) and not any(each is one for one in given)]
    targets = (TrapTarget(each.op.name, each.value_index, RESULT, "") for each in returned or given[:1])
    return list(dict.fromkeys(targets))


def _can_be_kept(tensor: Any) -> bool:
    return tensor.dtype.base_dtype.as_datatype_enum in dtypes.RECORDED


def gradients_of(sources: Any, given: Any) -> list[tuple[Any, str]]:
    """The gradients of variables among what a tape gave, each with the name of its variable."""
    import tensorflow as tf

    pairs = zip(tf.nest.flatten(sources), tf.nest.flatten(given, expand_composites=False), strict=True)
    return [(each, name_of(source)) for source, each in pairs if _is_variable(source) and each is not None]


def computes_gradients(definition: Any) -> bool:
    """Whether a gradient tape was used in a function, by the scope in which a tape puts its operations."""
    return any("gradient_tape/" in node.name for node in definition.node_def)


def _graph() -> Any:
    """The graph that is being built, None where the program runs eagerly."""
    import tensorflow as tf

    return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()


def _graphs_around(graph: Any) -> Iterator[Any]:
    """A graph, the one that it is a part of, and so on."""
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def _is_variable(source: Any) -> bool:
    import tensorflow as tf

    return isinstance(source, tf.Variable) or hasattr(source, "handle")


def name_of(variable: Any) -> str:
    """The name of a variable of TensorFlow or Keras."""
    return str(getattr(variable, "path", None) or getattr(variable, "name", "")).removesuffix(":0")
