"""Functions without our nodes, beside those with them, for the steps that a recording leaves out.

A function that is left out is called by another name, under which the runtime has its definition as it was. Nothing is
traced again. Where operations keep a state of their own, as random numbers of TensorFlow 1 do, there must be one of
them only, so that it gives what it would have given: such a function keeps our nodes, which do nothing meanwhile.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.originals import OriginalFunctions
from tensordbg.backends.tensorflow.internals import context, op_def_registry

_SUFFIX = "_tdbg_plain"

_STATE_ELSEWHERE = frozenset(fd.CALLS) | {
    "Assert", "Print", "PrintV2", "NoOp", "PyFunc", "EagerPyFunc", "ReadFile", "WriteFile",
    "AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", "TensorArrayV3", "Timestamp",
    "CollectiveReduceV2", "CollectiveGatherV2", "CollectiveReduceV3", "CollectiveAllToAllV3",
    "RangeDataset", "TensorDataset", "TensorSliceDataset", "ReduceDataset", "BatchDatasetV2",
}  # fmt: skip
"""Operations that have a state, or an effect, but not in themselves."""

_IMPLEMENTS = ("api_implements", "_implements")
"""Attributes by which the runtime finds other functions to put in a function's place."""


class Guarded(Protocol):
    """Something for which code of ours runs inside the program."""

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends what it is for, never the program."""


class PlainFunctions:
    """The plain ones, by the names of those with our nodes."""

    def __init__(self, originals: OriginalFunctions, add: Callable[[Any, Any], None]) -> None:
        """There are none yet.

        Args:
            originals: The functions as they were.
            add: Gives a runtime a definition.
        """
        self._originals = originals
        self._add = add
        self._names: dict[str, str | None] = {}

    def call(self, guarded: Guarded, run: Callable[..., Any], call: Sequence[Any]) -> Any:
        """Runs the call of a function, whose name is the third of what `run` is given; plainly if it can."""
        given = call[2]
        own = given if isinstance(given, str) else given.decode()
        name = self._names.get(own)
        if name is None:
            with guarded.guard("making a function ready without probes"):
                name = self.name(own)
        if name is None:
            return run(*call)
        try:
            return run(*call[:2], name if isinstance(given, str) else name.encode(), *call[3:])
        except Exception as error:
            _tell_of_original(error, own)
            raise

    def name(self, runtime_name: str) -> str | None:
        """The name of a function's plain version, made at first sight; None where there must be none."""
        if runtime_name not in self._names:
            self._names[runtime_name] = None
            self._names[runtime_name] = self._make(runtime_name)
        return self._names[runtime_name]

    def _make(self, root: str) -> str | None:
        function, runtime = self._originals.function(root.encode()), context.context()
        copies = None if function is None else self._copies(root, runtime)
        if copies is None:
            return None
        for copy in copies:
            self._add(runtime, copy)
        weakref.finalize(function, self._forget, root, [copy.signature.name for copy in copies]).atexit = False
        return root + _SUFFIX

    def _forget(self, root: str, names: list[str]) -> None:
        self._names.pop(root, None)
        runtime = context.context()
        for name in names:
            if runtime.has_function(name):
                runtime.remove_function(name)

    def _copies(self, root: str, runtime: Any) -> list[Any] | None:
        """Copies of a function and of those of ours that it calls, which call each other; None where it has a state."""
        copies: dict[str, Any] = {}
        waiting = [root]
        while waiting:
            name = waiting.pop()
            if name in copies:
                continue
            definition = self._originals.definition(name.encode())
            if definition is None and name != root and runtime.has_function(name):
                definition = runtime.get_function_def(name)
            if definition is None or _has_state(definition) or any(each in definition.attr for each in _IMPLEMENTS):
                return None
            copies[name] = type(definition)()
            copies[name].CopyFrom(definition)
            waiting += [each.name for node in definition.node_def for each in fd.functions_named(node)]
        for name, copy in copies.items():
            copy.signature.name = name + (_SUFFIX if name == root else f"_of_{root}{_SUFFIX}")
            for node in copy.node_def:
                for called in fd.functions_named(node):
                    called.name += _SUFFIX if called.name == root else f"_of_{root}{_SUFFIX}"
        return list(copies.values())


def _has_state(definition: Any) -> bool:
    return any(_keeps_state(node) for node in definition.node_def)


def _keeps_state(node: Any) -> bool:
    """Whether an operation may keep a state that no resource holds, as far as its definition says."""
    definition = op_def_registry.get(node.op)
    if definition is None:
        return True
    if not definition.is_stateful or node.op in _STATE_ELSEWHERE:
        return False
    taken = (dtype for argument in definition.input_arg for dtype in fd.argument_dtypes(node, argument))
    return dtypes.RESOURCE not in taken


def _tell_of_original(error: Exception, runtime_name: str) -> None:
    """Has an error of TensorFlow's speak of the functions that the program has."""
    message = getattr(error, "_message", None)
    if isinstance(message, str):
        error._message = _by_own_names(message, runtime_name)  # type: ignore[attr-defined]  # noqa: SLF001
    error.args = tuple(_by_own_names(each, runtime_name) if isinstance(each, str) else each for each in error.args)


def _by_own_names(text: str, runtime_name: str) -> str:
    return text.replace(f"_of_{runtime_name}{_SUFFIX}", "").replace(_SUFFIX, "")
