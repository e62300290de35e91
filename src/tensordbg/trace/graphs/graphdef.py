"""TensorFlow's GraphDef and FunctionDef messages, read and put together without TensorFlow.

The numbers of the fields are those of tensorflow/core/framework/{graph,node_def,attr_value,function,op_def}.proto.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from tensordbg.trace.graphs.protobuf import bytes_field, fields, signed

_NODE, _LIBRARY, _VERSIONS = 1, 2, 4
_NAME, _OP, _INPUT, _DEVICE, _ATTRIBUTE = 1, 2, 3, 4, 5
_KEY, _VALUE = 1, 2
_LIST, _TEXT, _INTEGER = 1, 2, 3


@dataclass(frozen=True)
class GraphDefNode:
    """One NodeDef."""

    name: str
    op_type: str
    inputs: tuple[str, ...] = ()
    """`name`, `name:1` for another output than the first, `^name` for one that is only waited for."""
    device: str = ""
    attributes: Mapping[str, bytes] = field(default_factory=dict)
    """By name, each as an AttrValue message."""

    def texts(self, attribute: str) -> tuple[str, ...]:
        """An attribute that is a list of texts; empty where it is not there, or something else."""
        with suppress(ValueError):
            for number, value in fields(self.attributes.get(attribute, b"")):
                if number == _LIST and isinstance(value, bytes):
                    return tuple(_text(item) for kind, item in fields(value) if kind == _TEXT)
        return ()

    def integer(self, attribute: str) -> int:
        """An attribute that is an integer; 0 where it is not there, or something else."""
        with suppress(ValueError):
            values = [value for number, value in fields(self.attributes.get(attribute, b"")) if number == _INTEGER]
            return signed(values[-1]) if values and isinstance(values[-1], int) else 0
        return 0

    def encode(self) -> bytes:
        """The NodeDef."""
        parts = [bytes_field(_NAME, self.name), bytes_field(_OP, self.op_type)]
        parts += [bytes_field(_INPUT, name) for name in self.inputs]
        if self.device:
            parts.append(bytes_field(_DEVICE, self.device))
        for name, value in self.attributes.items():
            parts.append(bytes_field(_ATTRIBUTE, bytes_field(_KEY, name) + bytes_field(_VALUE, value)))
        return b"".join(parts)


@dataclass(frozen=True)
class GraphDefMessage:
    """One GraphDef."""

    nodes: tuple[GraphDefNode, ...] = ()
    functions: Mapping[str, bytes] = field(default_factory=dict)
    """The FunctionDef messages of its library, by name."""
    versions: bytes = b""
    """The VersionDef message."""

    def encode(self) -> bytes:
        """The GraphDef."""
        parts = [bytes_field(_NODE, node.encode()) for node in self.nodes]
        if self.functions:
            parts.append(bytes_field(_LIBRARY, b"".join(bytes_field(1, body) for body in self.functions.values())))
        if self.versions:
            parts.append(bytes_field(_VERSIONS, self.versions))
        return b"".join(parts)


def decode_graph(message: bytes) -> GraphDefMessage:
    """Reads a GraphDef.

    Raises:
        ValueError: If these bytes are none.
    """
    nodes: list[GraphDefNode] = []
    functions: dict[str, bytes] = {}
    versions = b""
    for number, value in fields(message):
        if number == _NODE:
            nodes.append(_node(_bytes(value)))
        elif number == _LIBRARY:
            bodies = [_bytes(body) for kind, body in fields(_bytes(value)) if kind == 1]
            functions.update((_function_name(body), body) for body in bodies)
        elif number == _VERSIONS:
            versions = _bytes(value)
    return GraphDefMessage(tuple(nodes), functions, versions)


def text_attribute(value: str) -> bytes:
    """An AttrValue that is a text."""
    return bytes_field(_TEXT, value)


def _node(message: bytes) -> GraphDefNode:
    texts: dict[int, str] = {_NAME: "", _OP: "", _DEVICE: ""}
    inputs: list[str] = []
    attributes: dict[str, bytes] = {}
    for number, value in fields(message):
        if number == _INPUT:
            inputs.append(_text(value))
        elif number == _ATTRIBUTE:
            entry = dict(fields(_bytes(value)))
            attributes[_text(entry.get(_KEY, b""))] = _bytes(entry.get(_VALUE, b""))
        elif number in texts:
            texts[number] = _text(value)
    return GraphDefNode(texts[_NAME], texts[_OP], tuple(inputs), texts[_DEVICE], attributes)


def _function_name(message: bytes) -> str:
    for number, value in fields(message):
        if number == 1:
            return next((_text(name) for kind, name in fields(_bytes(value)) if kind == 1), "")
    return ""


def _bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError(f"{value} stands where bytes are wanted")  # noqa: TRY004  the bytes are at fault
    return value


def _text(value: int | bytes) -> str:
    return _bytes(value).decode("utf-8", "replace")
