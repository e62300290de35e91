"""Has those functions run eagerly, instead of as graphs, that come to a line at which the program stops.

Which these are is learned while they are traced, as they are anyway: a line that is met then belongs to the graph that
is being built. Before that graph is run for the first time, the call is taken back, and the Python function is called
instead; so it is with each later call. All others stay compiled, as are TensorFlow's and Keras's own.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType
from typing import Any

from tensordbg.backends.tensorflow.internals import (
    autograph,
    concrete_function,
    context,
    debug_mode,
    func_graph,
    polymorphic_function,
    structured_function,
)
from tensordbg.backends.tensorflow.replay.call import forget_conversion
from tensordbg.stopping.stops import Stops


class _ReachedError(BaseException):
    """A graph that comes to places is about to run; nothing of the program may catch this."""

    def __init__(self, places: Collection[int]) -> None:
        super().__init__()
        self.places = places


def run_eagerly_at(stops: Stops) -> None:
    """Has all run eagerly from now on that comes to a line of the program's stops."""
    found = EagerStops(stops)
    found.install()
    stops.builds_graph.append(found.builds_graph)
    stops.why_never.append(found.why_never)


class EagerStops:
    """Stops in the functions that come to a line."""

    def __init__(self, stops: Stops) -> None:
        """Knows none yet."""
        self._stops = stops
        self._graphs: weakref.WeakKeyDictionary[Any, set[int]] = weakref.WeakKeyDictionary()
        """The places that each comes to."""
        self._functions: weakref.WeakKeyDictionary[Any, Collection[int]] = weakref.WeakKeyDictionary()
        """Likewise, of those that are called from Python instead."""
        self._calls = threading.local()
        self._unstoppable: dict[int, str] = {}
        """By place the function that only runs as a graph."""

    def install(self) -> None:
        """Stands before the calls of functions from now on."""
        function, concrete = polymorphic_function.Function, concrete_function.ConcreteFunction
        function.__call__ = self._around_call(function.__call__)
        concrete._call_flat = self._around_run(concrete._call_flat)  # noqa: SLF001
        autograph.converted_call = self._around_conversion(autograph.converted_call)
        wrapper = structured_function.StructuredFunctionWrapper
        wrapper.__init__ = self._around_dataset(wrapper.__init__)

    def builds_graph(self, *places: int) -> bool:
        """Whether this thread builds the graph of a function, which is one that comes to some places then."""
        if context.executing_eagerly():
            return False
        graph = context_graph()
        if not isinstance(graph, func_graph.FuncGraph):
            return False  # one of TensorFlow 1, beside which there is nothing to run eagerly
        self._note(graph, places)
        self._stops.in_graph(places)
        return True

    def why_never(self, place: int) -> str:
        """Says why a line never stops: it runs only as the graph that it was made to be."""
        name = self._unstoppable.get(place)
        return f"it is a part of a concrete function of {name}(), which can't run eagerly" if name else ""

    def _note(self, graph: Any, places: Collection[int]) -> None:
        while graph is not None:
            self._graphs.setdefault(graph, set()).update(places)
            graph = getattr(graph, "outer_graph", None)

    def _around_call(self, plain: Any) -> Any:
        @functools.wraps(plain)
        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            known = self._functions.get(function) or self._places_in(function.python_function)
            if not context.executing_eagerly():
                if known:  # and so may have a graph already, in which nobody asks any more
                    self.builds_graph(*known)
                return plain(function, *args, **kwargs)
            if not known:
                try:
                    with self._calling(function):
                        return plain(function, *args, **kwargs)
                except _ReachedError as reached:
                    self._functions[function] = reached.places
            with self._calling(None):
                return _run(function, args, kwargs)

        return call

    def _around_run(self, plain: Any) -> Any:
        @functools.wraps(plain)
        def call_flat(concrete: Any, *args: Any, **kwargs: Any) -> Any:
            places = self._graphs.get(concrete.graph)
            if places is not None:
                if not context.executing_eagerly():
                    self.builds_graph(*places)
                elif getattr(self._calls, "function", None) is not None:
                    raise _ReachedError(places)
                else:
                    self._unstoppable.update(dict.fromkeys(places, concrete.graph.name))
            return plain(concrete, *args, **kwargs)

        return call_flat

    def _around_conversion(self, plain: Any) -> Any:
        @functools.wraps(plain)
        def converted_call(function: Any, args: Any, kwargs: Any, *rest: Any, **options: Any) -> Any:
            # What AutoGraph makes of a function does not ask.
            places = self._places_in(function)
            if places and not self.builds_graph(*places) and context.executing_eagerly():
                return function(*args, **(kwargs or {}))
            return plain(function, args, kwargs, *rest, **options)

        return converted_call

    def _around_dataset(self, plain: Any) -> Any:
        @functools.wraps(plain)
        def make(wrapper: Any, *args: Any, **kwargs: Any) -> None:
            plain(wrapper, *args, **_copied(kwargs))
            graph = getattr(wrapper.function, "graph", None)
            if graph in self._graphs and context.executing_eagerly():
                with _debugging_datasets():
                    plain(wrapper, *args, **kwargs)

        return make

    @contextmanager
    def _calling(self, function: Any) -> Iterator[None]:
        """While a function's graph is about to run; None while its Python function runs."""
        former = getattr(self._calls, "function", None)
        self._calls.function = function
        try:
            yield
        finally:
            self._calls.function = former

    def _places_in(self, function: Any) -> frozenset[int]:
        return frozenset().union(*(self._stops.places_in(code) for code in codes_of(function)))


def codes_of(function: Any) -> Iterator[CodeType]:
    """The code of a function, a method, a partial or an object that can be called, and of what it wraps."""
    for _ in range(10):
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code
        inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        inner = inner or getattr(function, "func", None)
        if inner is None and code is None and not isinstance(function, type):
            inner = type(function).__call__
        if inner is None or inner is function:
            return
        function = inner


def context_graph() -> Any:
    """The graph that this thread adds operations to."""
    import tensorflow as tf  # imported by the program already

    return tf.compat.v1.get_default_graph()


def _run(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Calls the Python function, with tensors where its graph would have them."""
    forget_conversion(function.python_function)
    args, kwargs = _as_arguments(function, args, kwargs)
    return _as_results(function.python_function(*args, **kwargs))


def _as_arguments(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """What the Python function is given, with tensors for arrays, and for what its signature says are tensors."""
    import numpy as np
    import tensorflow as tf

    def as_specified(spec: Any, given: Any) -> Any:
        return tf.convert_to_tensor(given, spec.dtype) if isinstance(spec, tf.TensorSpec) else given

    specs = tuple(function.input_signature or ())
    args = (*map(as_specified, specs, args), *args[len(specs) :])
    known = function.function_type.parameters
    told = {name: getattr(known.get(name), "type_constraint", None) for name in kwargs}
    kwargs = {name: as_specified(told[name], each) for name, each in kwargs.items()}
    given: tuple[tuple[Any, ...], dict[str, Any]] = tf.nest.map_structure(
        lambda leaf: tf.convert_to_tensor(leaf) if isinstance(leaf, np.ndarray) else leaf, (args, kwargs)
    )
    return given


def _as_results(results: Any) -> Any:
    import numpy as np
    import tensorflow as tf

    def made(leaf: Any) -> Any:
        wanted = isinstance(leaf, bool | int | float | complex | str | bytes | np.ndarray | np.generic | tf.Variable)
        return tf.convert_to_tensor(leaf) if wanted else leaf

    return tf.nest.map_structure(made, results)


def _copied(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments, of which TensorFlow changes a dictionary that is among them."""
    return {name: dict(each) if isinstance(each, dict) else each for name, each in given.items()}


@contextmanager
def _debugging_datasets() -> Iterator[None]:
    """Functions of datasets that are made inside are called from Python, with tensors in hand."""
    former = debug_mode.DEBUG_MODE
    debug_mode.toggle_debug_mode(debug_mode=True)
    try:
        yield
    finally:
        debug_mode.toggle_debug_mode(debug_mode=former)
