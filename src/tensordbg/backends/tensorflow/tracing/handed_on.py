"""Values that are recorded though no operation computes them, as the program has a name for them.

Mostly what is handed on has been seen where it was computed: the result of a loop in its body, that of a branch in the
branch. That does not tell what a name stands for where a list is given the result of a loop, or a branch a number of
the program's text. So such values are recorded where they have the name: arguments of loops in each iteration, results
of branches and loops, elements where they are put into a list.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from tensordbg.backends.tensorflow.internals import loop_and_branch_graphs
from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph

LISTS = {"TensorListSetItem": 2, "TensorListPushBack": 1}
"""The operations that put an element into a list of tensors, and which input the element is."""

_LOOPS = ("While", "StatelessWhile")
_BRANCHES = ("If", "StatelessIf", "Case", "StatelessCase")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_IDENTITIES = ("Identity", "IdentityN")
_UNSEEN = frozenset({*_LOOPS, *_BRANCHES, *_CALLS, *_IDENTITIES})

_MOST_PARTS = 64
"""Of one value that holds several tensors."""

_STATES: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
"""By the graph of a loop's condition or body the arguments that are to be recorded in each iteration."""

_RESULTS: weakref.WeakKeyDictionary[Any, set[tuple[str, int]]] = weakref.WeakKeyDictionary()
"""By graph the results of loops and branches that are to be recorded: the operation's name, and the output."""


def note_argument(tensor: Any) -> None:
    """Has an argument of a loop's condition or body recorded in each iteration, or of a branch where it runs."""
    if isinstance(tensor.graph, loop_and_branch_graphs()):
        _STATES.setdefault(tensor.graph, set()).add(tensor.op.name)


def recorded_in_each_iteration(graph: Any) -> AbstractSet[str]:
    """The arguments of a loop's condition or body, by their operations' names, to be recorded in each iteration."""
    return _STATES.get(graph, frozenset())


def note_result(value: Any) -> None:
    """Has the results of loops and branches recorded that a value is, or that are parts of it."""
    for tensor in itertools.islice(_tensors(value), _MOST_PARTS):
        made_by = tensor.op
        if made_by.type in _LOOPS or (made_by.type in _IDENTITIES and _hands_on(made_by, tensor.value_index)):
            _RESULTS.setdefault(tensor.graph, set()).add((made_by.name, tensor.value_index))


def recorded_results(graph: Any) -> AbstractSet[tuple[str, int]]:
    """The results of loops and branches that are to be recorded: the operation's name, and the output."""
    return _RESULTS.get(graph, frozenset())


def put_into(accumulated: Any) -> Any:
    """The element that was put last, in this iteration, into a list of tensors; None where none was."""
    place = LISTS.get(accumulated.op.type) if is_of_graph(accumulated) else None
    return None if place is None else accumulated.op.inputs[place]


def is_seen(tensor: Any) -> bool:
    """Whether a tensor of a graph is recorded each time that the operations run which take it."""
    made_by = tensor.op
    if made_by.type == "Placeholder":
        is_part = isinstance(tensor.graph, loop_and_branch_graphs())
        return not is_part or made_by.name in recorded_in_each_iteration(tensor.graph)
    if made_by.type == "Const":
        return bool(tensor.dtype.is_floating)  # see `Graphs`: others are mostly shapes and axes
    return made_by.type not in _UNSEEN


def _hands_on(identity: Any, output: int) -> bool:
    return identity.inputs[output].op.type in (*_LOOPS, *_BRANCHES)


def _tensors(value: Any) -> Iterator[Any]:
    if is_of_graph(value):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _tensors(each)
