"""What a recording holds of a pipeline with origins: what it holds without them, and the origins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.python_names import noted_names
from tensordbg.analysis.tensors.batch_origins import noting_sites
from tensordbg.analysis.tensors.show import history_of
from tensordbg.backends.tensorflow.data_origins.dataset import trace_data
from tensordbg.model import names_origins
from tensordbg.trace.reader import TraceReader, open_trace


def recorded(folder: Path, read: Callable[[], object]) -> TraceReader:
    with tensordbg.record(folder) as recording:
        read()
    return open_trace(recording.path)


def of_pipeline(reader: TraceReader) -> Counter[str]:
    """Types of what functions of datasets computed, but for the origins and the batches that they are those of."""
    program = read_program(reader)
    sites, parts = program.sites, noting_sites(program)[1]
    numbers = reader.tensors(0, reader.tensor_count, ["site", "run"]).to_pydict()
    found = [sites[site] for site, run in zip(numbers["site"], numbers["run"], strict=True) if run]
    return Counter(site.op_type for site in found if not names_origins(site.name) and site.site not in parts)


def tripled(n: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return n * 3, label


def wanted(number: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
    return tf.greater_equal(number, label - 1000)


def pairs(trace: Callable[[Any], Any]) -> Any:
    return tf.data.Dataset.zip(trace(tf.data.Dataset.range(6)), trace(tf.data.Dataset.range(100, 106)))


PIPELINES: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "mapped and filtered": lambda trace: pairs(trace).map(tripled).filter(wanted).batch(4),
    "in parallel": lambda trace: pairs(trace).shuffle(6).map(tripled, num_parallel_calls=2).batch(2).unbatch(),
    "interleaved": lambda trace: trace(tf.data.Dataset.range(3)).interleave(
        lambda first: tf.data.Dataset.range(first * 10, first * 10 + 2).map(lambda each: each + 1)
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_no_operation_of_ours_is_recorded(name: str, tmp_path: Path) -> None:
    made = [
        of_pipeline(recorded(tmp_path / kind, lambda trace=trace: list(PIPELINES[name](trace))))  # type: ignore[misc]
        for kind, trace in (("plain", lambda data: data), ("traced", trace_data))
    ]
    assert made[0] == made[1]
    assert made[0].total() > 3


def test_what_is_eager_of_ours_is_not_recorded_either(tmp_path: Path) -> None:
    plain = recorded(tmp_path / "plain", lambda: tf.data.Dataset.range(6).batch(2))
    traced = recorded(tmp_path / "traced", lambda: trace_data(tf.data.Dataset.range(6)).batch(2))
    assert traced.tensor_count == plain.tensor_count


def test_parameters_of_mapped_functions_have_their_names(tmp_path: Path) -> None:
    reader = recorded(tmp_path, lambda: list(pairs(trace_data).map(tripled).filter(wanted)))
    points = history_of(reader, "n").points
    assert [point.came_from for point in points] == [(f"element {each} + element {each}",) for each in range(6)]
    assert [point.health.max for point in points if point.health] == list(range(6))
    assert [point.health.max for point in history_of(reader, "number").points if point.health] == list(range(0, 18, 3))
    told = {name for site in read_program(reader).sites.values() for names in noted_names(site) for name in names}
    assert {"n", "label", "number"} <= told


def test_functions_of_the_pipeline_have_the_names_of_the_programs(tmp_path: Path) -> None:
    reader = recorded(tmp_path, lambda: list(pairs(trace_data).map(tripled).filter(wanted)))
    names = {function.name for function in read_program(reader).functions.values()}
    assert {"Dataset_map_tripled", "Dataset_filter_wanted"} <= names
