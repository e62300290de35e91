"""Writes logs as TensorFlow's debugger does, without TensorFlow.

log = LogBuilder(folder)
log.graph("g1", "train")
log.operation("g1", "Log", "Log", ["x:0"])
log.trace("g1", "Log", 10.5)
log.execution("__inference_train_7", 11.0, graph_id="g1")
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tensordbg.importers.tfdbg2.messages import event_type
from tensordbg.importers.tfdbg2.tensors import FULL_HEALTH
from tensordbg.trace.graphs.checksums import masked_checksum

MESSAGE_FILES = {
    "debug_metadata": "metadata",
    "source_file": "source_files",
    "stack_frame_with_id": "stack_frames",
    "graph_op_creation": "graphs",
    "debugged_graph": "graphs",
    "debugged_device": "graphs",
    "execution": "execution",
    "graph_execution_trace": "graph_execution_traces",
}
HEALTHY = (7.0, -1.0, 1.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0)
"""Of three float32 elements in one dimension, one of them negative."""
BAD = (7.0, -1.0, 1.0, 1.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0)
"""One of them a NaN."""


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + checksum(length) + data + checksum(data)


def checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked_checksum(data))


def summary(numbers: Sequence[float]) -> dict[str, Any]:
    return {"dtype": 2, "tensor_shape": {"dim": [{"size": len(numbers)}]}, "double_val": numbers}


class LogBuilder:
    """One log; the folder is made with it."""

    def __init__(self, folder: Path, host: str = "vm", seconds: int = 1700000000, run: str = "abcd1234") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.prefix = f"tfdbg_events.{seconds:010d}.{host}"
        self.write("debug_metadata", 1.0, tensorflow_version="2.21.0", file_version="debug.Event:1", tfdbg_run_id=run)

    def path(self, kind: str) -> Path:
        return self.folder / f"{self.prefix}.{kind}"

    def write(self, name: str, time: float, **fields: Any) -> None:
        event = event_type()(wall_time=time, **{name: fields})
        with self.path(MESSAGE_FILES[name]).open("ab") as file:
            file.write(record(event.SerializeToString()))

    def graph(self, identifier: str, name: str, outer: str = "") -> None:
        self.write("debugged_graph", 1.0, graph_id=identifier, graph_name=name, outer_context_id=outer)

    def operation(
        self,
        graph: str,
        op_type: str,
        name: str,
        inputs: Sequence[str] = (),
        outputs: int = 1,
        stack: Sequence[str] = (),
    ) -> None:
        self.write(
            "graph_op_creation",
            1.0,
            graph_id=graph,
            op_type=op_type,
            op_name=name,
            input_names=inputs,
            num_outputs=outputs,
            code_location={"stack_frame_ids": stack},
        )

    def frame(self, identifier: str, line: int, function: str = "main", file: str = "/code/train.py") -> None:
        self.write("source_file", 1.0, file_path=file, lines=["first", "second", "third"])
        index = sum(1 for _ in self._messages("source_files")) - 1
        self.write(
            "stack_frame_with_id",
            1.0,
            id=identifier,
            file_line_col={"file_index": index, "line": line, "func": function},
        )

    def trace(
        self, graph: str, name: str, time: float, numbers: Sequence[float] = HEALTHY, mode: int = FULL_HEALTH
    ) -> None:
        self.write(
            "graph_execution_trace",
            time,
            tfdbg_context_id=graph,
            op_name=name,
            tensor_debug_mode=mode,
            tensor_proto=summary(numbers),
            device_name="/device:CPU:0",
        )

    def execution(self, op_type: str, time: float, **fields: Any) -> None:
        self.write("execution", time, op_type=op_type, **{"tensor_debug_mode": FULL_HEALTH, **fields})

    def function(self, identifier: str = "g1", name: str = "train", operation: str = "Log") -> None:
        """A function that computes one operation of its argument and returns it."""
        self.graph("root", "")
        self.graph(identifier, name, "root")
        self.operation(identifier, "Placeholder", "x")
        self.operation(identifier, operation, operation, ["x:0"])
        self.operation(identifier, "Identity", "Identity", [f"{operation}:0"])
        self.operation(identifier, "NoOp", "NoOp", outputs=0)

    def _messages(self, kind: str) -> Any:
        from tensordbg.importers.tfdbg2.messages import read_events

        return read_events(self.path(kind))
