from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.importers.tfdbg2.messages import event_type, read_events
from tests.importers.tfdbg2.logbuilder import LogBuilder, record


def test_fields_are_those_of_tensorflow() -> None:
    theirs = pytest.importorskip("tensorflow.core.protobuf.debug_event_pb2").DebugEvent.DESCRIPTOR
    assert differences(event_type().DESCRIPTOR, theirs) == []


def differences(ours: Any, theirs: Any) -> list[str]:
    found = []
    for field in ours.fields:
        their = theirs.fields_by_number[field.number]
        # An enumeration is read as the number that it is.
        kinds = {(field.type, their.type)} - {(field.type, field.type), (5, 14)}
        if field.name != their.name or kinds or is_repeated(field) != is_repeated(their):
            found.append(f"{theirs.name}.{their.name}")
        if field.message_type is not None and their.message_type is not None:
            found += differences(field.message_type, their.message_type)
    return found


def is_repeated(field: Any) -> bool:
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


def test_events_of_a_file(log: LogBuilder) -> None:
    log.graph("g1", "train")
    log.operation("g1", "Log", "Log", ["x:0"])
    graph, operation = read_events(log.path("graphs"))
    assert graph.debugged_graph.graph_name == "train"
    assert list(operation.graph_op_creation.input_names) == ["x:0"]


def test_records_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "tfdbg_events.1.vm.graphs"
    path.write_bytes(record(b"\xff\xff\xff"))
    with pytest.raises(TraceError, match="holds no debugger events"):
        list(read_events(path))


def test_without_protobuf(monkeypatch: pytest.MonkeyPatch) -> None:
    event_type.cache_clear()
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("google.protobuf"):
            raise ImportError
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match="pip install protobuf"):
        event_type()
