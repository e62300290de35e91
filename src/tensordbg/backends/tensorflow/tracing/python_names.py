"""Notes under which Python names a program knows the tensors of its graphs: arguments, states of loops, branches.

AutoGraph tells its own operators the names of what a loop or a branch changes, and what these names stand for at the
beginning and the end of an iteration. What `tf.while_loop`, a dataset or `tf.map_fn` hands to a function of the program
bears the names of its parameters. A name is noted while a graph is built and told when its sites are described.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType
from typing import Any

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.generated import is_generated
from tensordbg.backends.tensorflow.internals import (
    autograph,
    autograph_operators,
    control_flow,
    functional_ops,
    while_v2,
)
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.tracing.arguments import code_of
from tensordbg.backends.tensorflow.tracing.composites import other_parts
from tensordbg.backends.tensorflow.tracing.graph_tensors import (
    is_in_current_graph,
    is_of_graph,
    is_ragged,
    is_simple,
    is_sparse,
    is_tensor_array,
)
from tensordbg.backends.tensorflow.tracing.handed_on import LISTS, is_seen, note_argument, note_result, put_into
from tensordbg.model import PYTHON_NAMES
from tensordbg.recording.recorder import Recorder

_NAMES: weakref.WeakKeyDictionary[Any, dict[str, dict[int, list[str]]]] = weakref.WeakKeyDictionary()
"""By graph, operation and output; a graph that was traced in one recording may run in a later one."""

_MOST_NAMES = 4
"""Of one tensor."""

_MOST_PARTS = 64
"""Of one value that holds several tensors."""

_FOLDS = ("scan", "foldl", "foldr")
"""The functions of TensorFlow that call a function of the program as it is, for each element."""

_PYTHON = (list, tuple, range, dict, str, set, frozenset)
"""What Python itself loops over."""


class PythonNames:
    """The hooks for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(control_flow, "_tf_while_stmt", self._watching_while)
        self._replaced.replace(control_flow, "_tf_if_stmt", self._watching_if)
        self._replaced.replace(autograph_operators(), "for_stmt", self._watching_for)
        for name in ("if_exp", "converted_call"):
            self._replaced.replace(autograph_operators(), name, self._watching_expression)
        self._replaced.replace(while_v2, "while_loop", self._watching_while_loop)
        for name in _FOLDS:
            self._replaced.replace(functional_ops, name, self._watching_fold)
        self._replaced.replace(autograph, "converted_call", self._watching_call)
        self._replaced.replace(autograph, "tf_convert", self._watching_conversion)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    def _note(self, named: Callable[[], Iterable[tuple[str, Any]]], note: Callable[[str, Any], None]) -> None:
        if self._recorder.active:
            with self._recorder.guard("noting the names of tensors"):
                for name, value in named():
                    if name and not name.startswith("<"):
                        note(name, value)

    def _watching_while(self, plain: Any) -> Any:
        def while_stmt(test: Any, body: Any, get_state: Any, set_state: Any, symbol_names: Any, opts: Any) -> Any:
            targets = set(_names_in(opts.get("iterate_names", "")))

            def state() -> Iterator[tuple[str, Any]]:
                return (
                    (name, each) for name, each in zip(symbol_names, get_state(), strict=False) if name not in targets
                )

            def named_test() -> Any:
                self._note(state, note_state)
                return test()

            def named_body() -> Any:
                self._note(state, note_name)
                result = body()
                self._note(state, note_name)
                return result

            self._note(state, note_name)
            result = plain(unseen(named_test), unseen(named_body), get_state, set_state, symbol_names, opts)
            self._note(state, note_name)
            return result

        return while_stmt

    def _watching_if(self, plain: Any) -> Any:
        def if_stmt(cond: Any, body: Any, orelse: Any, get_state: Any, *more: Any) -> Any:
            _, symbol_names, nouts = more
            from_outside: set[str] = set()

            def state() -> Iterator[tuple[str, Any]]:
                return zip(symbol_names[:nouts], get_state(), strict=False)

            def naming(branch: Any) -> Any:
                def named_branch() -> Any:
                    before = dict(state())
                    result = branch()
                    self._note(lambda: _made_in_branch(state(), before, from_outside), note_name)
                    return result

                return unseen(named_branch)

            result = plain(cond, naming(body), naming(orelse), get_state, *more)
            self._note(state, note_name)
            chosen = ((name, value) for name, value in state() if name in from_outside)
            self._note(lambda: chosen, lambda _, value: note_result(value))
            return result

        return if_stmt

    def _watching_for(self, plain: Any) -> Any:
        def for_stmt(iter_: Any, extra_test: Any, body: Any, *more: Any) -> Any:
            if isinstance(iter_, _PYTHON):
                return plain(iter_, extra_test, body, *more)
            target = more[-1].get("iterate_names", "")

            def named_body(iterate: Any) -> Any:
                self._note(lambda: _targets(target, iterate), note_state)
                return body(iterate)

            return plain(iter_, extra_test, unseen(named_body), *more)

        return for_stmt

    def _watching_while_loop(self, plain: Any) -> Any:
        def while_loop(cond: Any, body: Any, loop_vars: Any, *args: Any, **kwargs: Any) -> Any:
            names = self._parameters(body) or self._parameters(cond)
            if not names:
                return plain(cond, body, loop_vars, *args, **kwargs)

            def named_cond(*given: Any) -> Any:
                self._note(lambda: zip(names, given, strict=False), note_state)
                return cond(*given)

            def named_body(*given: Any) -> Any:
                self._note(lambda: zip(names, given, strict=False), note_name)
                results = body(*given)
                self._note(lambda: zip(names, _sequence(results), strict=False), note_name)
                return results

            return plain(unseen(named_cond), unseen(named_body), loop_vars, *args, **kwargs)

        return while_loop

    def _watching_fold(self, plain: Any) -> Any:
        def fold(fn: Any, *args: Any, **kwargs: Any) -> Any:
            # What is accumulated is an argument of a loop's body.
            return plain(self._naming(fn, note_state) if self._parameters(fn) else fn, *args, **kwargs)

        return fold

    def _watching_call(self, plain: Any) -> Any:
        def converted_call(f: Any, args: Any, kwargs: Any, *more: Any, **options: Any) -> Any:
            self._note(lambda: self._arguments(f, args, kwargs), note_name)
            return plain(f, args, kwargs, *more, **options)

        return converted_call

    def _watching_expression(self, plain: Any) -> Any:
        """For what is written as a call or a choice, whose result is recorded where a loop or a branch hands it on."""

        def evaluated(*given: Any, **options: Any) -> Any:
            result = plain(*given, **options)
            self._note(lambda: [("result", result)], lambda _, value: note_result(value))
            return result

        return unseen(evaluated)

    def _watching_conversion(self, plain: Any) -> Any:
        """For functions that are a part of a converted one, which are called as they are."""

        def tf_convert(f: Any, *args: Any, **kwargs: Any) -> Any:
            converted = plain(f, *args, **kwargs)
            if converted is not f or not autograph.is_autograph_artifact(f) or not self._parameters(f):
                return converted
            return autograph.autograph_artifact(self._naming(f, note_name))

        return tf_convert

    def _naming(self, function: Any, note: Callable[[str, Any], None]) -> Any:
        """The same function, whose arguments are noted under the names of its parameters."""

        def named(*given: Any, **keywords: Any) -> Any:
            self._note(lambda: self._arguments(function, given, keywords), note)
            return function(*given, **keywords)

        return functools.wraps(function)(unseen(named))

    def _arguments(self, function: Any, args: Any, kwargs: Any) -> Iterator[tuple[str, Any]]:
        names = self._parameters(function)
        yield from zip(names, args, strict=False)
        code = self._own_code(function)
        if code is None:
            return
        yield from (kwargs or {}).items()
        # What `*more` and `**more` take follows the other parameters.
        named = code.co_argcount + code.co_kwonlyargcount
        known = code.co_varnames[:named]
        if code.co_flags & inspect.CO_VARARGS:
            yield code.co_varnames[named], tuple(args[len(names) :])
        if code.co_flags & inspect.CO_VARKEYWORDS:
            rest = {name: each for name, each in (kwargs or {}).items() if name not in known}
            yield code.co_varnames[named + bool(code.co_flags & inspect.CO_VARARGS)], rest

    def _parameters(self, function: Any) -> tuple[str, ...]:
        """The names of a function's positional parameters if it is the program's own, without `self` of a method."""
        code = self._own_code(function)
        if code is None:
            return ()
        bound = int(getattr(function, "__self__", None) is not None or _is_called_by_python(function))
        return code.co_varnames[bound : code.co_argcount]

    def _own_code(self, function: Any) -> CodeType | None:
        code = code_of(function) if inspect.isroutine(function) or _is_called_by_python(function) else None
        if code is None or is_generated(code.co_filename):
            return code
        return code if self._recorder.catalog.user_code.is_user(code.co_filename) else None


def _is_called_by_python(function: Any) -> bool:
    """Whether it is an object that can be called as its class says, in Python."""
    return not isinstance(function, type) and inspect.isfunction(getattr(type(function), "__call__", None))  # noqa: B004


def with_python_names(attributes: str, graph: Any, operation: str, outputs: int) -> str:
    """The attributes of an operation of a graph, with the Python names of its outputs if it has any."""
    known = _NAMES.get(graph, {}).get(operation)
    if known is None:
        return attributes
    names = [known.get(slot, []) for slot in range(outputs)]
    return with_notes(attributes, {PYTHON_NAMES: names})


def names_of_item(operation: Any) -> list[str]:
    """The names of the element that an operation puts into a list, where nothing but that shows the element."""
    place = LISTS.get(operation.type)
    return [] if place is None or is_seen(operation.inputs[place]) else names_noted(operation.outputs[0])


def noted_names(tensor: Any) -> tuple[str, ...]:
    """The Python names of a tensor of a graph that were noted so far."""
    return tuple(_NAMES.get(tensor.graph, {}).get(tensor.op.name, {}).get(tensor.value_index, ()))


def names_noted(tensor: Any) -> list[str]:
    """The names that were noted of a tensor of a graph; none of anything else."""
    if not is_of_graph(tensor):
        return []
    return _NAMES.get(tensor.graph, {}).get(tensor.op.name, {}).get(tensor.value_index, [])


def note_state(name: str, value: Any) -> None:
    """Notes a name; what bears it is recorded even if it is an argument of a loop's condition or body."""
    for tensor in (*(tensor for _, tensor in _tensors(name, value)), *other_parts(value)):
        note_argument(tensor)
    note_name(name, value)


def note_name(name: str, value: Any) -> None:
    """Notes a name of a tensor of a graph, or of those in a structure."""
    for part, tensor in itertools.islice(_tensors(name, value), _MOST_PARTS):
        names = _NAMES.setdefault(tensor.graph, {}).setdefault(tensor.op.name, {}).setdefault(tensor.value_index, [])
        if part not in names and len(names) < _MOST_NAMES:
            names.append(part)


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors of graphs in a value, each with its own name: `state[0]`, `batch['ids']`."""
    if is_of_graph(value):
        yield name, value
        yield from _element(name, value)
    elif isinstance(value, (list, tuple, dict)):
        for part, each in _parts(value):
            yield from _tensors(f"{name}{part}", each)
    elif is_tensor_array(value):
        yield from _element(name, value.flow)
    elif is_ragged(value):
        yield from _tensors(name, value.flat_values)
    elif is_sparse(value):
        yield from _tensors(name, value.values)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a structure, each with what Python writes behind the structure to get at it."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", each) for key, each in value.items())
    elif hasattr(value, "_fields"):
        yield from ((f".{field}", getattr(value, field)) for field in value._fields)
    else:
        yield from ((f"[{i}]", each) for i, each in enumerate(value))


def _element(name: str, accumulated: Any) -> Iterator[tuple[str, Any]]:
    """Of a list of tensors, a TensorArray's also, the element that was put into it last, in this iteration.

    Where that is not recorded by itself, it is where it is put in, which bears the name then.
    """
    element = put_into(accumulated)
    if element is not None:
        yield name, element if is_seen(element) else accumulated


def _made_in_branch(
    state: Iterator[tuple[str, Any]], before: Mapping[str, Any], from_outside: set[str]
) -> Iterator[tuple[str, Any]]:
    """What the names stand for that a branch has given to what it computes, or left as they were.

    Args:
        state: The names at its end, and what they stand for.
        before: The same at its beginning.
        from_outside: Takes the names that it gives to anything else: numbers, tensors that were there before.
    """
    for name, value in state:
        if value is before.get(name) or not is_simple(value) or (is_of_graph(value) and is_in_current_graph(value)):
            yield name, value
        else:
            from_outside.add(name)


def _targets(target: str, iterate: Any) -> Iterator[tuple[str, Any]]:
    """What each name of a loop's target, as it stands in the source, is in one iteration."""
    with contextlib.suppress(SyntaxError):
        yield from _unpacked(ast.parse(target, mode="eval").body, iterate)


def _unpacked(target: ast.expr, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (list, tuple)):
        for inner, each in zip(target.elts, value, strict=False):
            yield from _unpacked(inner, each)


def _names_in(target: str) -> Iterator[str]:
    with contextlib.suppress(SyntaxError):
        yield from (each.id for each in ast.walk(ast.parse(target, mode="eval")) if isinstance(each, ast.Name))


def _sequence(results: Any) -> Any:
    return results if isinstance(results, (list, tuple)) else (results,)
