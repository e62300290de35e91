"""The JSON lines of a trace: from a dataclass of `tensordbg.model` to the object on its line, and back.

The way back checks every value, since a damaged file may hold anything: it raises `ValueError`, `KeyError` or
`TypeError` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tensordbg.json_input import whole_text
from tensordbg.model import NONE, CallKind, Frame, Function, Site, SourceFile, TensorRef, Variable
from tensordbg.trace.program.described import is_attributes, is_layer, is_tracing

Row = Mapping[str, Any]

_NUMBERS_END = 2**31


def site_row(site: Site) -> dict[str, Any]:
    """The line of a site."""
    return {
        "site": site.site,
        "name": site.name,
        "op_type": site.op_type,
        "function": site.function,
        "stack": site.stack,
        "inputs": [(reference.site, reference.slot) for reference in site.inputs],
        "dtypes": site.dtypes,
        "device": site.device,
        "call": site.call.value,
        "called": site.called,
        "argument": site.argument,
        "reads": site.reads,
        "writes": site.writes,
        "gradient_of": site.gradient_of,
        "backward": site.backward,
        "attributes": site.attributes,
        "layer": site.layer,
        "framework": site.framework,
    }


def function_row(function: Function) -> dict[str, Any]:
    """The line of a function."""
    return {
        "function": function.function,
        "name": function.name,
        "runtime_name": function.runtime_name,
        "graph": function.graph,
        "stack": function.stack,
        "arguments": function.arguments,
        "outputs": [(reference.site, reference.slot) for reference in function.outputs],
        "captures": function.captures,
        "signature": function.signature,
        "notes": function.notes,
        "tracing": function.tracing,
    }


def stack_row(number: int, frames: Iterable[Frame]) -> dict[str, Any]:
    """The line of a stack, outermost frame first."""
    rows = [(frame.file, frame.line, frame.function, frame.user) for frame in frames]
    return {"stack": number, "frames": rows}


def source_row(source: SourceFile) -> dict[str, Any]:
    """The line of a source file."""
    return {"file": source.file, "sha256": source.sha256, "text": source.text}


def variable_row(variable: Variable) -> dict[str, Any]:
    """The line of a variable."""
    return {
        "variable": variable.variable,
        "name": variable.name,
        "dtype": variable.dtype,
        "shape": variable.shape,
        "trainable": variable.trainable,
    }


def site_from_row(row: Row) -> Site:
    """The site of a line."""
    return Site(
        site=_number(row["site"]),
        name=_text(row["name"]),
        op_type=_text(row["op_type"]),
        function=_number_or_none(row["function"]),
        stack=_number_or_none(row["stack"]),
        inputs=_references(row.get("inputs", ())),
        dtypes=_texts(row.get("dtypes", ())),
        device=_text(row.get("device", "")),
        call=CallKind(row.get("call", "")),
        called=_texts(row.get("called", ())),
        argument=_number_or_none(row.get("argument", NONE)),
        reads=_numbers(row.get("reads", ())),
        writes=_numbers(row.get("writes", ())),
        gradient_of=_number_or_none(row.get("gradient_of", NONE)),
        attributes=_checked_json(row.get("attributes", "{}"), is_attributes),
        layer=_checked_json(row.get("layer", ""), is_layer),
        backward=_truth_or_none(row.get("backward")),
        framework=_text(row.get("framework", "")),
    )


def function_from_row(row: Row) -> Function:
    """The function of a line."""
    return Function(
        function=_number(row["function"]),
        name=_text(row["name"]),
        runtime_name=_text(row["runtime_name"]),
        graph=_number_or_none(row["graph"]),
        stack=_number_or_none(row.get("stack", NONE)),
        arguments=_numbers(row.get("arguments", ())),
        outputs=_references(row.get("outputs", ())),
        captures=_numbers(row.get("captures", ())),
        signature=_text(row.get("signature", "")),
        notes=_texts(row.get("notes", ())),
        tracing=_checked_json(row.get("tracing", ""), is_tracing),
    )


def stack_from_row(row: Row) -> tuple[int, tuple[Frame, ...]]:
    """The number and the frames of a line."""
    return _number(row["stack"]), tuple(_frame(frame) for frame in _list(row["frames"]))


def source_from_row(row: Row) -> SourceFile:
    """The source file of a line."""
    return SourceFile(file=_text(row["file"]), sha256=_text(row["sha256"]), text=_text(row["text"]))


def variable_from_row(row: Row) -> Variable:
    """The variable of a line."""
    return Variable(
        variable=_number(row["variable"]),
        name=_text(row["name"]),
        dtype=_text(row["dtype"]),
        shape=_text(row["shape"]),
        trainable=_truth_or_none(row.get("trainable")),
    )


def name_from_row(row: Row) -> tuple[str, int, str]:
    """Kind (`path` or `device`), number and name of a line."""
    return _text(row["kind"]), _number(row["id"]), _text(row["name"])


def _frame(value: object) -> Frame:
    file, line, function, user = _list(value)
    return _frame_of(file, line, function, user)


@lru_cache(maxsize=2**14, typed=True)
def _frame_of(file: object, line: object, function: object, user: object) -> Frame:
    """The frame; the stacks of a program have most of theirs in common."""
    return Frame(file=_text(file), line=_number(line), function=_text(function), user=bool(user))


def _references(value: object) -> tuple[TensorRef, ...]:
    return tuple(_reference(pair) for pair in _list(value))


def _reference(value: object) -> TensorRef:
    site, slot = _list(value)
    return TensorRef(_number_or_none(site), _number(slot))


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _NUMBERS_END:
        raise ValueError(f"{value!r} is not a number")
    return value


def _truth_or_none(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true, false nor null")
    return value


def _number_or_none(value: object) -> int:
    return NONE if value == NONE else _number(value)


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(_number_or_none(item) for item in _list(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return whole_text(value)


def _checked_json(value: object, right: Callable[[str], bool]) -> str:
    """A text that holds JSON."""
    text = _text(value)
    if not right(text):
        raise ValueError(f"{text[:80]!r} does not say what it should")
    return text


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value))


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r} is not a list")
    return value
