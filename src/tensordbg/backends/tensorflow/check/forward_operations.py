"""Which forward operation an operation of a backward pass belongs to, read from Python graphs.

It is asked when a check has found something, so nothing is noted before. TensorFlow says it of what `tf.gradients`
makes. What a tape makes stands in the stack of the forward type's gradient function, `_LogGrad`, and is computed from
what the forward operation took or made; in a loop or a branch it bears the forward operation's name. Where a forward
pass is computed once more for its gradient (`tf.recompute_grad`), it is that one from which the gradient is computed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.internals import differentiated, forward_graph
from tensordbg.checking.finding import Culprit
from tensordbg.gradient_names import computed_by_program, differentiated_name, differentiated_type, differentiates
from tensordbg.model import Frame, Site
from tensordbg.recording.usercode import UserCode

_BACKWARD = "__backward_"
_SCOPES = ("gradient_tape/", "gradients/")
_PASSING = frozenset({"Identity", "StopGradient", "ReadVariableOp"})
_MOST = 64
"""So many operations back are looked at: the gradient of one operation has a few."""


class ForwardOperations:
    """Finds them."""

    def __init__(self, user_code: UserCode) -> None:
        self._user_code = user_code
        self._graphs: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

    def learn(self, function: int, graph: Any) -> None:
        """From which Python graph a function of the catalog was made."""
        self._graphs[function] = graph

    def of_site(self, site: Site) -> Culprit | None:
        """That of a site of the catalog."""
        operation = self.operation_of(site)
        found = None if operation is None else self.of(operation)
        return None if found is None else Culprit(found.type, found.name, self.frames(found))

    def operation_of(self, site: Site) -> Any | None:
        """The operation of a site of the catalog, in Python's graph; None where that is gone."""
        graph = self._graphs.get(site.function)
        try:
            return None if graph is None else graph.get_operation_by_name(site.name)
        except (KeyError, ValueError):
            return None  # a site that stands for several operations, such as a loop

    def of(self, operation: Any) -> Any | None:
        """The operation whose gradient another computes; None where it is no gradient, or that is not certain.

        The gradient of a gradient belongs to what the first of the two belongs to.
        """
        found = self._differentiated(operation)
        for _ in range(_MOST):
            further = None if found is None else self._differentiated(found)
            if further is None:
                break
            found = further
        return found

    def _differentiated(self, operation: Any) -> Any | None:
        told = differentiated(operation)
        if told is not None or not self._is_gradient(operation):
            return told
        wanted = differentiated_type(self.frames(operation))
        return self._nearby(operation, wanted) or _by_name(operation, wanted) or self._only_one(operation.graph, wanted)

    def frames(self, operation: Any) -> tuple[Frame, ...]:
        """The stack at which an operation was made, outermost frame first; none where TensorFlow has none."""
        try:
            return tuple(
                Frame(each.filename, each.lineno, each.name, self._user_code.is_user(each.filename))
                for each in operation.traceback or ()
                if not self._user_code.is_own(each.filename)
            )
        except RuntimeError:
            return ()  # TensorFlow can't tell a stack in which the name of a file is not in UTF-8

    def _nearby(self, operation: Any, wanted: str) -> Any | None:
        tensors = list(self._taken_from_forward(operation))
        if not wanted and len(tensors) > 1:
            return None
        takers = [each for tensor in tensors for each in tensor.consumers() if not self._is_gradient(each)]
        found = {id(each): each for each in takers if each.type not in _PASSING}
        if wanted:
            found |= {id(tensor.op): tensor.op for tensor in tensors}
            found = {key: each for key, each in found.items() if each.type.lower() == wanted}
        scope = _scope(operation.name)
        return _only(found.values()) or _only(each for each in found.values() if _scope(each.name) == scope)

    def _only_one(self, graph: Any, wanted: str) -> Any | None:
        """The operation of a type in a graph where there is but one: what is far, or read from a variable again."""
        alike = [each for each in graph.get_operations() if each.type.lower() == wanted]
        return _only(each for each in alike if not self._is_gradient(each))

    def _taken_from_forward(self, operation: Any) -> Iterator[Any]:
        """The tensors of the forward pass that it is computed from, constants apart; none where they are far."""
        waiting, seen, found = [operation], {operation}, {}
        while waiting and len(seen) <= _MOST:
            for tensor in waiting.pop().inputs:
                made = _outside(tensor)
                # An eager one, such as a variable's handle, has no operation.
                if not hasattr(made, "op") or made.op.type == "Const":
                    continue
                if not self._is_gradient(made.op):
                    found[id(made)] = made
                elif made.op not in seen:
                    seen.add(made.op)
                    waiting.append(made.op)
        return iter(found.values() if not waiting else ())

    def _is_gradient(self, operation: Any) -> bool:
        """Whether it is made by differentiation; what the program computes meanwhile, as once more, is not."""
        if differentiated(operation) is not None:
            return True
        frames = self.frames(operation)
        if computed_by_program(frames):
            return False
        if any(scope in operation.name for scope in _SCOPES) or any(map(differentiates, frames)):
            return True
        return str(getattr(operation.graph, "name", "")).startswith(_BACKWARD)


def _by_name(operation: Any, wanted: str) -> Any | None:
    name, graph = differentiated_name(operation.name), forward_graph(operation.graph)
    if not name or not wanted or graph is None:
        return None
    return _only(each for each in graph.get_operations() if each.name == name and each.type.lower() == wanted)


def _outside(tensor: Any) -> Any:
    """What a graph was given as an argument from the graph around it, or the tensor itself."""
    captured = getattr(tensor.graph, "captures", ()) if tensor.op.type == "Placeholder" else ()
    return next((outer for outer, inner in captured if inner is tensor), tensor)


def _only(found: Iterable[Any]) -> Any | None:
    first, *rest = [*found] or [None]
    return None if rest else first


def _scope(name: str) -> str:
    return name.removeprefix("gradient_tape/").rpartition("/")[0]
