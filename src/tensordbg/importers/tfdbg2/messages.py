"""The messages in the logs, as far as they are needed, described here so that TensorFlow need not be installed.

The numbers are those of tensorflow/core/protobuf/debug_event.proto; fields that are left out are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tensordbg.errors import TraceError, UsageError
from tensordbg.importers.tfdbg2.records import read_records

_TYPES = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8, "string": 9, "bytes": 12,
          "uint32": 13}  # fmt: skip
_MESSAGE = 11

MESSAGES: dict[str, str] = {
    "Dim": "1 int64 size",
    "Shape": "2 *Dim dim; 3 bool unknown_rank",
    "Tensor": (
        "1 int32 dtype; 2 Shape tensor_shape; 4 bytes tensor_content; 13 *int32 half_val; 5 *float float_val; "
        "6 *double double_val; 7 *int32 int_val; 9 *float scomplex_val; 10 *int64 int64_val; "
        "11 *bool bool_val; 12 *double dcomplex_val; 16 *uint32 uint32_val; 17 *uint64 uint64_val; 18 bytes float8_val"
    ),
    "FileLine": "1 int32 file_index; 2 int32 line; 4 string func",
    "Metadata": "1 string tensorflow_version; 2 string file_version; 3 string tfdbg_run_id",
    "SourceFile": "1 string file_path; 2 string host_name; 3 *string lines",
    "StackFrame": "1 string id; 2 FileLine file_line_col",
    "CodeLocation": "1 string host_name; 2 *string stack_frame_ids",
    "GraphOpCreation": (
        "1 string op_type; 2 string op_name; 4 string graph_id; 6 *string input_names; 7 int32 num_outputs; "
        "8 CodeLocation code_location"
    ),
    "DebuggedGraph": "1 string graph_id; 2 string graph_name; 6 string outer_context_id",
    "DebuggedDevice": "1 string device_name; 2 int32 device_id",
    "Execution": (
        "1 string op_type; 2 int32 num_outputs; 3 string graph_id; 4 *int64 input_tensor_ids; "
        "5 *int64 output_tensor_ids; 6 int32 tensor_debug_mode; 7 *Tensor tensor_protos; "
        "8 CodeLocation code_location; 9 *int32 output_tensor_device_ids"
    ),
    "GraphExecutionTrace": (
        "1 string tfdbg_context_id; 2 string op_name; 3 int32 output_slot; 4 int32 tensor_debug_mode; "
        "5 Tensor tensor_proto; 6 string device_name"
    ),
    "DebugEvent": (
        "1 double wall_time; 3 Metadata debug_metadata; 4 SourceFile source_file; 6 StackFrame stack_frame_with_id; "
        "7 GraphOpCreation graph_op_creation; 8 DebuggedGraph debugged_graph; 9 Execution execution; "
        "10 GraphExecutionTrace graph_execution_trace; 12 DebuggedDevice debugged_device"
    ),
}
"""Number, type and name of each field; a star stands before the type of one that is repeated."""


def read_events(path: Path) -> Iterator[Any]:
    """The events of one file of a log, as messages of type `DebugEvent`.

    Raises:
        TraceError: If the file can't be read, or holds something else.
        UsageError: If protobuf is not installed.
    """
    event = event_type()
    from google.protobuf.message import DecodeError

    for record in read_records(path):
        try:
            yield event.FromString(record)
        except (DecodeError, ValueError) as error:
            raise TraceError(f"{path}: holds no debugger events ({error}); take the file out of the folder") from error


@cache
def event_type() -> Any:
    """The class of `DebugEvent`.

    Raises:
        UsageError: If protobuf is not installed.
    """
    return message_type("tfdbg2", MESSAGES, "DebugEvent")


def message_type(package: str, messages: dict[str, str], wanted: str) -> Any:
    """The class of one of some messages, each described as in `MESSAGES`.

    Raises:
        UsageError: If protobuf is not installed.
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise UsageError("the logs can't be read without protobuf; install it: pip install protobuf") from None

    file = descriptor_pb2.FileDescriptorProto(name=f"tensordbg_{package}.proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for text in fields.split("; "):
            number, kind, field_name = text.split()
            plain = kind.removeprefix("*")
            field = message.field.add(name=field_name, number=int(number), type=_TYPES.get(plain, _MESSAGE))
            field.label = field.LABEL_OPTIONAL if plain == kind else field.LABEL_REPEATED
            if plain in messages:
                field.type_name = f".{package}.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{wanted}"))
