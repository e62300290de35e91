"""A GraphDef message as text, in the format of `text_format`, without TensorFlow.

What the messages mean is told by a small table of their fields, from tensorflow/core/framework/*.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tensordbg.trace.graphs.protobuf import fields, signed

_SCHEMA: dict[str, str] = {
    "GraphDef": "1 NodeDef node; 2 Library library; 3 int version; 4 Versions versions",
    "NodeDef": (
        "1 text name; 2 text op; 3 text input; 4 text device; 5 Attribute attr; 6 DebugInfo experimental_debug_info"
    ),
    "DebugInfo": "1 text original_node_names; 2 text original_func_names",
    "Attribute": "1 text key; 2 AttrValue value",
    "AttrValue": (
        "1 List list; 2 text s; 3 int i; 4 float f; 5 bool b; 6 int type; 7 Shape shape; 8 Tensor tensor; "
        "9 text placeholder; 10 NameAttrList func"
    ),
    "List": (
        "2 text s; 3 ints i; 4 floats f; 5 bools b; 6 ints type; 7 Shape shape; 8 Tensor tensor; 9 NameAttrList func"
    ),
    "NameAttrList": "1 text name; 2 Attribute attr",
    "Shape": "2 Dim dim; 3 bool unknown_rank",
    "Dim": "1 int size; 2 text name",
    "Tensor": (
        "1 int dtype; 2 Shape tensor_shape; 3 int version_number; 4 text tensor_content; 5 floats float_val; "
        "6 doubles double_val; 7 ints int_val; 8 text string_val; 9 floats scomplex_val; 10 ints int64_val; "
        "11 bools bool_val; 12 doubles dcomplex_val; 13 ints half_val; 16 ints uint32_val; 17 ints uint64_val"
    ),
    "Library": "1 FunctionDef function; 2 Gradient gradient",
    "Gradient": "1 text function_name; 2 text gradient_func",
    "FunctionDef": (
        "1 OpDef signature; 3 NodeDef node_def; 4 TextEntry ret; 5 Attribute attr; 6 TextEntry control_ret; "
        "7 ArgumentEntry arg_attr; 8 NumberEntry resource_arg_unique_id"
    ),
    "TextEntry": "1 text key; 2 text value",
    "NumberEntry": "1 int key; 2 int value",
    "ArgumentEntry": "1 int key; 2 ArgumentAttributes value",
    "ArgumentAttributes": "1 Attribute attr",
    "OpDef": (
        "1 text name; 2 ArgDef input_arg; 3 ArgDef output_arg; 5 text summary; 6 text description; "
        "17 bool is_stateful; 18 bool is_commutative; 20 text control_output"
    ),
    "ArgDef": (
        "1 text name; 2 text description; 3 int type; 4 text type_attr; 5 text number_attr; 6 text type_list_attr; "
        "16 bool is_ref; 7 Handle handle_data"
    ),
    "Handle": "1 int dtype; 2 Shape shape",
    "Versions": "1 int producer; 2 int min_consumer; 3 ints bad_consumers",
}
"""Number, type and name of each field; one that is not named is left out."""

_FIELDS: dict[str, dict[int, tuple[str, str]]] = {
    message: {int(number): (kind, name) for number, kind, name in (entry.split() for entry in text.split("; "))}
    for message, text in _SCHEMA.items()
}

_FIXED = {"float": "<f", "double": "<d"}


def graph_text(message: bytes) -> str:
    """A GraphDef as text that `google.protobuf.text_format` reads."""
    return "".join(f"{line}\n" for line in _lines("GraphDef", message, ""))


def _lines(kind: str, message: bytes, indent: str) -> Iterator[str]:
    known = _FIELDS[kind]
    for number, value in fields(message):
        if number not in known:
            continue
        of, name = known[number]
        if of in _FIELDS:
            yield f"{indent}{name} {{"
            yield from _lines(of, value if isinstance(value, bytes) else b"", f"{indent}  ")
            yield f"{indent}}}"
        else:
            for text in _values(of, value):
                yield f"{indent}{name}: {text}"


def _values(kind: str, value: int | bytes) -> Iterator[str]:
    """A value as text; several where numbers are packed into one field."""
    single = kind.removesuffix("s")
    if isinstance(value, int):
        yield _number(single, value)
    elif kind == "text":
        yield '"' + "".join(_character(byte) for byte in value) + '"'
    elif single in _FIXED:
        yield from (repr(number) for (number,) in struct.iter_unpack(_FIXED[single], value))
    else:
        yield from (_number(single, number) for number in _packed(value))


def _packed(data: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0


def _number(kind: str, value: int) -> str:
    return ("true" if value else "false") if kind == "bool" else str(signed(value))


def _character(byte: int) -> str:
    if byte in b'"\\':
        return f"\\{chr(byte)}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
