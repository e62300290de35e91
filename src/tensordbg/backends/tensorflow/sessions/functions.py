"""Gives sessions our definitions of the functions that they run beside their graphs, such as those of tf.data.

What a graph calls is inlined, so its nodes are watched. What it only names, the function of a `map` or a one-shot
iterator's pipeline, runs by itself, as the definition that the session took from the graph's library when the graph
was made known to it. For just as long the library holds ours; what the program exports from it is plain. Where the
program saves how far it has read a pipeline, the functions stay plain: TensorFlow saves none with our operations.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.contents import are_alike, completed
from tensordbg.backends.tensorflow.functions.instrument import Functions, Guarded, guarded_by
from tensordbg.backends.tensorflow.internals import op_def_registry, pywrap_tf_session, session
from tensordbg.backends.tensorflow.own_frames import unseen

_COPY = "__tensordbg"
"""How the name ends of a copy that is called from ours alone; the graph may call the plain one."""

_SAVES = "SerializeIterator"

Definitions = dict[str, Any]
"""FunctionDefs by their names."""


@dataclass
class _Taken:
    """What a session has from the library of its graph."""

    version: int = -1
    """Of the graph when it was last made known."""
    names: set[str] = field(default_factory=set)
    """The functions that there were then; a session refuses another definition of any."""
    ours: Definitions = field(default_factory=dict)
    """Those among them, and copies, that we gave it."""


class SessionFunctions:
    """The hook into what sessions take from their graphs. It stays: a session is given the same again and again."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._taken: weakref.WeakKeyDictionary[Any, _Taken] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        self._installed = False

    def install(self, looking: Callable[[], Sequence[Guarded]], made_before: Iterable[Any]) -> None:
        """Sees all extensions of sessions from now on.

        Args:
            looking: Gives those for whom sessions are given ours; none while nobody looks.
            made_before: The sessions that there are, of which it isn't known what they have.
        """
        if self._installed:
            return
        self._installed = True
        for this in made_before:
            self._taken[this] = _Taken(names=set(this.graph._functions))  # noqa: SLF001
        extend = session.BaseSession._extend_graph  # noqa: SLF001

        def extend_graph(this: Any) -> None:
            taken = self._taken.get(this)
            if taken is not None and taken.version == this.graph.version:
                extend(this)
                return
            with ExitStack() as stack:
                with guarded_by(looking(), "giving a session our definitions of functions"):
                    # One at another address may be of a process that knows none of our operations.
                    self._give(this, bool(looking()) and not this.sess_str, stack)
                extend(this)

        session.BaseSession._extend_graph = unseen(extend_graph)  # noqa: SLF001

    def plain_ones(self, this: Any) -> list[str]:
        """Names of the functions that a session runs by itself and has as they were before anybody looked."""
        taken, library = self._taken.get(this, _Taken()), _Library(this.graph._functions)  # noqa: SLF001
        wanted = _Copies(library, self._functions).of(library.kept_apart(this.graph.get_operations()))
        return [name for name in wanted if name in taken.names and name not in taken.ours]

    def _give(self, this: Any, looked_at: bool, stack: ExitStack) -> None:
        """Looks at what is new in a session's graph, and has all of ours in its library while a stack is open."""
        with self._lock:
            taken, graph = self._taken.setdefault(this, _Taken()), this.graph
            taken.version, functions = graph.version, dict(graph._functions)  # noqa: SLF001
            try:
                if looked_at and len(functions) > len(taken.names) and not saves_iterators(graph):
                    library = _Library(functions)
                    wanted = _Copies(library, self._functions).of(library.kept_apart(graph.get_operations()))
                    taken.ours.update((name, each) for name, each in wanted.items() if name not in taken.names)
                if taken.ours:
                    stack.enter_context(_in_library(graph, taken.ours))
            except Exception:
                taken.ours = {}
                raise
            finally:
                taken.names.update(functions)


def saves_iterators(graph: Any) -> bool:
    """Whether the program saves the state of an iterator of a graph, as `make_saveable_from_iterator` has it."""
    return any(each.type == _SAVES for each in graph.get_operations())


class _Library:
    """The functions of a graph, as the program has them."""

    def __init__(self, functions: dict[str, Any]) -> None:
        self._functions = functions

    def definition(self, name: str) -> Any:
        """The FunctionDef of one, None where there is none."""
        held = self._functions.get(name)
        return getattr(held, "cached_definition", None) or getattr(held, "definition", None)

    def kept_apart(self, operations: Iterable[Any]) -> set[str]:
        """Names of the functions that run by themselves, and are nowhere inlined."""
        inlined: set[str] = set()
        apart: set[str] = set()
        waiting = [each.node_def for each in operations if _may_name_functions(each.type)]
        while waiting:
            node = waiting.pop()
            for function in fd.functions_named(node):
                if node.op not in fd.CALLS:
                    apart.add(function.name)
                elif function.name not in inlined:
                    inlined.add(function.name)
                    definition = self.definition(function.name)
                    waiting.extend(definition.node_def if definition is not None else ())
        return apart - inlined


class _Copies:
    """Makes definitions of ours that name each other."""

    def __init__(self, library: _Library, functions: Functions) -> None:
        self._library = library
        self._functions = functions
        self._made: Definitions = {}
        self._any_of_ours: dict[str, bool] = {}

    def of(self, names: set[str]) -> Definitions:
        """Those under the plain names, and the copies that they name."""
        for name in sorted(names):
            if self._looks_at_anything(name):
                self._made[name] = self._rewritten(name)
        return self._made

    def _looks_at_anything(self, name: str) -> bool:
        """Whether a function, or one that it names, has a definition of ours."""
        if name not in self._any_of_ours:
            self._any_of_ours[name] = False
            ours, plain = self._ours(name), self._library.definition(name)
            named = (each.name for node in plain.node_def for each in fd.functions_named(node)) if plain else ()
            self._any_of_ours[name] = ours is not None or any(map(self._looks_at_anything, named))
        return self._any_of_ours[name]

    def _ours(self, name: str) -> Any:
        """Our definition of a function; None where the library has another function under its name."""
        ours, plain, held = (
            self._functions.definition_of_ours(name),
            self._functions.plain_definition(name),
            self._library.definition(name),
        )
        if ours is None or plain is None or held is None:
            return None
        return ours if held is plain or are_alike(plain, completed(held)) else None

    def _rewritten(self, name: str) -> Any:
        held = self._ours(name) or self._library.definition(name)
        definition = type(held)()
        definition.CopyFrom(held)
        for node in definition.node_def:
            for function in fd.functions_named(node):
                if self._looks_at_anything(function.name):
                    function.name = self._copy(function.name)
        return definition

    def _copy(self, name: str) -> str:
        copy = name + _COPY
        if copy not in self._made:
            self._made[copy] = None
            self._made[copy] = self._rewritten(name)
            self._made[copy].signature.name = copy
        return copy


@cache
def _may_name_functions(op_type: str) -> bool:
    known = op_def_registry.get(op_type)
    return known is None or any(attribute.type in {"func", "list(func)"} for attribute in known.attr)


@contextmanager
def _in_library(graph: Any, ours: Definitions) -> Iterator[None]:
    """Has definitions of ours in the library of a graph, in the place of the plain ones."""
    removed, added = [], []
    # Nobody exports the graph meanwhile.
    with graph._lock, graph._c_graph.get() as library:  # noqa: SLF001  described in internals.py
        try:
            for name, definition in ours.items():
                with _imported(definition) as function:
                    if graph._is_function(name):  # noqa: SLF001
                        pywrap_tf_session.TF_GraphRemoveFunction(library, name.encode())
                        removed.append(name)
                    pywrap_tf_session.TF_GraphCopyFunction(library, function, None)
                    added.append(name)
            yield
        finally:
            for name in added:
                pywrap_tf_session.TF_GraphRemoveFunction(library, name.encode())
            for name in removed:
                with graph._get_function(name)._c_func.get() as plain:  # noqa: SLF001
                    pywrap_tf_session.TF_GraphCopyFunction(library, plain, None)


@contextmanager
def _imported(definition: Any) -> Iterator[Any]:
    """A definition as the runtime takes it."""
    function = pywrap_tf_session.TF_FunctionImportFunctionDef(definition.SerializeToString())
    try:
        yield function
    finally:
        pywrap_tf_session.TF_DeleteFunction(function)
