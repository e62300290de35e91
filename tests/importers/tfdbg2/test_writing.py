from __future__ import annotations

from pathlib import Path
from typing import Any

from tensordbg.importers.tfdbg2.importing import import_logs
from tensordbg.importers.tfdbg2.writing import Names
from tensordbg.trace.reader import TraceReader, open_trace
from tests.importers.tfdbg2.logbuilder import HEALTHY, LogBuilder, summary
from tests.importers.tfdbg2.samples import loop_and_branch


def imported(log: LogBuilder, out: Path) -> TraceReader:
    (found,) = import_logs(log.folder, out)
    return open_trace(found.trace)


def rows(reader: TraceReader, *columns: str) -> list[tuple[Any, ...]]:
    names = {number: site.name for number, site in reader.sites().items()}
    table = reader.table("tensors", ["site", *columns]).to_pylist()
    return [(names[row["site"]], *(row[column] for column in columns)) for row in table]


def test_turns_of_a_loop_are_counted(log: LogBuilder, tmp_path: Path) -> None:
    loop_and_branch(log)
    for step in (0.0, 10.0):
        for turn in range(2):
            log.trace("cond", "while/Less", step + 1 + turn)
            log.trace("body", "while/mul", step + 1.5 + turn)
        log.trace("cond", "while/Less", step + 4)
        log.trace("then", "cond/Log", step + 5)
        log.execution("__inference_train_9", step + 6, graph_id="train")
    reader = imported(log, tmp_path / "out")
    one = [("while/Less", 0), ("while/mul", 0), ("while/Less", 1), ("while/mul", 1), ("while/Less", 2)]
    expected = [*one, ("cond/Log", None)]
    assert rows(reader, "iteration") == expected * 2
    assert rows(reader, "step", "execution") == [(name, step, step + 1) for step in (0, 1) for name, _ in expected]
    paths = {reader.paths()[path] for _, path in rows(reader, "path")}
    assert paths == {"while/cond", "while/body", "cond/then"}


def test_calls_of_one_function_are_told_apart(log: LogBuilder, tmp_path: Path) -> None:
    log.graph("train", "train")
    log.graph("inner", "inner", "train")
    log.operation("inner", "Log", "Log")
    log.operation("inner", "NoOp", "NoOp", outputs=0)
    log.operation("train", "Neg", "a", ["PartitionedCall:0"])
    log.operation("train", "Neg", "b", ["PartitionedCall_1:0"])
    for time in (1.0, 2.0):
        log.trace("inner", "Log", time)
    log.execution("__inference_train_9", 3.0, graph_id="train")
    reader = imported(log, tmp_path / "out")
    assert [reader.paths()[path] for _, path in rows(reader, "path")] == ["PartitionedCall", "PartitionedCall_1"]


def test_eager_operations_are_linked_by_their_tensors(log: LogBuilder, tmp_path: Path) -> None:
    log.write("debugged_device", 1.0, device_name="/device:CPU:0", device_id=1)
    protos = [summary(HEALTHY)] * 2
    log.execution("Unpack", 1.0, output_tensor_ids=[5, 6], tensor_protos=protos, output_tensor_device_ids=[1, 1])
    log.execution("AddV2", 2.0, input_tensor_ids=[6, 99], output_tensor_ids=[7], tensor_protos=protos[:1])
    log.execution("AddV2", 3.0, input_tensor_ids=[7, 5], output_tensor_ids=[8], tensor_protos=protos[:1])
    reader = imported(log, tmp_path / "out")
    inputs = reader.table("executions", ["inputs"]).column("inputs").to_pylist()
    assert inputs == [[], [1 << 16 | 1, -1], [2 << 16, 1 << 16]]
    assert rows(reader, "slot", "step") == [("Unpack", 0, 0), ("Unpack", 1, 0), ("AddV2", 0, 0), ("AddV2", 0, 1)]
    assert reader.table("tensors", ["device"]).column("device").to_pylist()[0] == "/device:CPU:0"


def test_a_function_that_the_log_does_not_describe_is_an_operation(log: LogBuilder, tmp_path: Path) -> None:
    log.execution("__inference_f_3", 1.0, output_tensor_ids=[5], tensor_protos=[summary(HEALTHY)])
    reader = imported(log, tmp_path / "out")
    (site,) = reader.sites().values()
    assert (site.name, site.call.value) == ("__inference_f_3", "other")
    assert reader.tensor_count == 1


def test_names_have_numbers() -> None:
    names = Names()
    assert [names.number(name) for name in ("", "a", "b", "a")] == [0, 1, 2, 1]
