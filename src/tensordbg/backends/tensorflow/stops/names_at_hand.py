"""Which tensor of a graph a Python name stands for at a line: the value of a statement before it, an argument, a state.

A name belongs to the function of the program in which it is given. Where AutoGraph or TensorFlow tell of a name, they
tell the name alone, so that counts less than a statement, but for the results of loops and branches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.tracing.placed_names import Scope
from tensordbg.backends.tensorflow.tracing.python_names import noted_names
from tensordbg.model import PYTHON_NAMES, CallKind, Frame, Site


@dataclass(frozen=True)
class Made:
    """A node of a definition, in the order in which the program made them."""

    site: Site
    frames: tuple[Frame, ...]
    """Where it was made, within the function."""
    outputs: tuple[str, ...]
    """Its tensors, by their names in the definition."""


class NamesAtHand:
    """Learns of one node after the other, and knows the names there are behind the last."""

    def __init__(self, name_assigned_at: Callable[[Frame], str], function: str) -> None:
        """Knows none yet.

        Args:
            name_assigned_at: The name that the statement at a line gives to its value, empty where it gives none.
            function: The name of the Python function that the graph was made from.
        """
        self._given_at = name_assigned_at
        self._function = function
        self._assigned: dict[tuple[Scope, str], str] = {}
        self._attributed: dict[str, str] = {}
        self._arguments: dict[str, str] = {}
        self._used: dict[tuple[Scope, str], set[str]] = {}

    def learn_argument(self, names: Iterable[str], tensor: str, attributes: str) -> None:
        """An argument of the graph, with the attributes of its operation."""
        for each in (*names, *_names_in_attributes(attributes, 0)):
            self._arguments[each] = tensor

    def learn_use(self, scope: Scope, name: str, tensor: str) -> None:
        """A function that was seen to use an argument of the graph under a name."""
        self._used.setdefault((scope, name), set()).add(tensor)

    def names_outside(self, graph: Any, frames_of: Callable[[Any], tuple[Frame, ...]]) -> dict[str, list[str]]:
        """The names that what a loop's body or a branch takes from outside has there, by the argument's operation."""
        found = {}
        for outside, inside in getattr(graph, "captures", ()):
            if hasattr(outside, "value_index"):
                found[str(inside.op.name)] = list(self._outside(outside, frames_of))
        return found

    def _outside(self, tensor: Any, frames_of: Callable[[Any], tuple[Frame, ...]]) -> Iterator[str]:
        yield from noted_names(tensor)
        if tensor.op.type != "Placeholder":
            frame = next((frame for frame in reversed(frames_of(tensor.op)) if frame.user), None)
            name = "" if frame is None else self._given_at(frame)
            yield from [name] if name else []
            return
        further = [outside for outside, inside in getattr(tensor.graph, "captures", ()) if inside is tensor]
        yield from () if further else (tensor.op.name,)
        for outside in further:
            if hasattr(outside, "value_index"):
                yield from self._outside(outside, frames_of)

    def learn(self, made: Made) -> None:
        """A node."""
        frames = made.frames
        results = made.site.call in {CallKind.WHILE, CallKind.IF}
        scope = _innermost(frames)
        for slot, tensor in enumerate(made.outputs):
            for name in _names_in_attributes(made.site.attributes, slot):
                self._attributed[name] = tensor
                if results and scope is not None:
                    self._assigned[scope, name] = tensor
        for frame in frames if made.outputs else ():
            name = self._given_at(frame) if frame.user else ""
            if name:
                self._assigned[(frame.file, frame.function), name] = made.outputs[0]

    def find(
        self, names: Iterable[str], frames: tuple[Frame, ...], taken: Container[str] = ()
    ) -> Iterator[tuple[str, str]]:
        """Those of some names that stand for a tensor in the innermost of some frames, each with its tensor.

        Args:
            names: The names.
            frames: Of a line.
            taken: The tensors that the operations of the line take.
        """
        frame = frames[-1]
        # The arguments are those of the function that was traced, and not of one that it calls.
        own = frame.function == self._function or not any(each.user for each in frames[:-1])
        for name in names:
            tensor = self._assigned.get(((frame.file, frame.function), name))
            tensor = tensor or (self._arguments.get(name) if own else self._argument_of_called(frame, name, taken))
            tensor = tensor or self._attributed.get(name)
            if tensor is not None:
                yield name, tensor

    def _argument_of_called(self, frame: Frame, name: str, taken: Container[str]) -> str | None:
        """What a function that the traced one calls has under a name, where its line takes just that.

        Another call of the same function may have been given something that is no argument of the graph.
        """
        scope = (frame.file, frame.function)
        used = self._used.get((scope, name), set())
        tensor = next(iter(used)) if len(used) == 1 else ""
        names = [each for (of, each), tensors in self._used.items() if of == scope and tensor in tensors]
        return tensor if tensor in taken and names == [name] else None


def _innermost(frames: tuple[Frame, ...]) -> Scope | None:
    return next(((frame.file, frame.function) for frame in reversed(frames) if frame.user), None)


def _names_in_attributes(attributes: str, slot: int) -> list[str]:
    if PYTHON_NAMES not in attributes:
        return []
    named = json.loads(attributes)[PYTHON_NAMES]
    return list(named[slot]) if slot < len(named) else []
