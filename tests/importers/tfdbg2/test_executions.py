from __future__ import annotations

import math

from tensordbg.importers.tfdbg2.executions import History, collect_history
from tensordbg.importers.tfdbg2.logs import find_logs
from tensordbg.trace.events import TensorEvent
from tests.importers.tfdbg2.logbuilder import HEALTHY, LogBuilder, summary
from tests.importers.tfdbg2.samples import nested_functions
from tests.importers.tfdbg2.test_graphs import graphs_of


def history_of(log: LogBuilder) -> History:
    (found,) = find_logs(log.folder)
    return collect_history(found.events("execution"), found.events("graph_execution_traces"), graphs_of(log))


def times(history: History) -> list[list[float]]:
    return [[trace.time for trace in execution.traces] for execution in history.executions]


def test_traces_belong_to_the_next_execution_of_a_graph_around_them(log: LogBuilder) -> None:
    nested_functions(log)
    log.execution("__inference_train_7", 2.0, graph_id="train")
    log.execution("Add", 2.5)
    log.execution("__inference_train_7", 4.0, graph_id="train")
    for graph, name, time in (("train", "Square", 1.0), ("inner", "Log", 1.5), ("train", "Square", 3.0)):
        log.trace(graph, name, time)
    history = history_of(log)
    assert times(history) == [[1.0, 1.5], [], [3.0]]
    assert history.executions[0].begin == 1.0
    assert history.executions[1].graph is None


def test_a_lost_execution_shows_in_what_is_computed_again(log: LogBuilder) -> None:
    nested_functions(log)
    for time in (1.0, 2.0, 3.0):
        log.trace("train", "Square", time)
        log.trace("inner", "Log", time + 0.1)
    log.execution("__inference_train_7", 3.5, graph_id="train")
    history = history_of(log)
    assert times(history) == [[1.0, 1.1], [2.0, 2.1], [3.0, 3.1]]
    assert [execution.time for execution in history.executions] == [1.1, 2.1, 3.5]


def test_an_execution_that_was_cut_off(log: LogBuilder) -> None:
    nested_functions(log)
    log.execution("__inference_train_7", 1.5, graph_id="train")
    log.trace("train", "Square", 1.0)
    log.trace("inner", "Log", 2.0)
    history = history_of(log)
    assert times(history) == [[1.0], [2.0]]
    assert history.executions[1].time == math.inf
    assert history.executions[1].begin == 2.0


def test_forward_and_backward_passes_are_told_by_their_names(log: LogBuilder) -> None:
    nested_functions(log)
    log.execution("__forward_train_60", 1.0)
    log.execution("__inference___backward_inner_9_61", 2.0)
    log.execution("__inference_gone_5", 3.0)
    found = [execution.graph for execution in history_of(log).executions]
    assert [None if graph is None else graph.identifier for graph in found] == ["train", "backward", None]


def test_functions_of_an_input_pipeline_run_by_themselves(log: LogBuilder) -> None:
    log.graph("map", "Dataset_map_f_3")
    log.trace("map", "Log", 1.0)
    log.trace("unknown", "Log", 1.0)
    history = history_of(log)
    assert history.executions == []
    assert [trace.graph for trace in history.orphans] == ["map", "unknown"]


def test_outputs_that_were_filtered_out_are_unknown(log: LogBuilder) -> None:
    log.execution("Unpack", 1.0, output_tensor_ids=[5, 6], tensor_protos=[summary(HEALTHY)] * 2)
    log.execution("Unpack", 2.0, output_tensor_ids=[7, 8], tensor_protos=[summary(HEALTHY)])
    whole, part = (execution.record for execution in history_of(log).executions)
    assert [event.size for event in whole.tensors] == [3, 3]
    assert part.tensors == (TensorEvent(), TensorEvent())
