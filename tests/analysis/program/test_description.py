"""The program as the tables describe it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tensorflow as tf

from tensordbg.analysis.graphs.functions import list_functions
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.tensors.show import history_of
from tensordbg.model import CallKind, TensorRef
from tests.analysis.builder import FILE, TraceBuilder
from tests.backends.tensorflow.recorded import record


def test_sites_and_edges() -> None:
    trace = TraceBuilder(["import tensorflow as tf"])
    w = trace.variable("w")
    inner, f = trace.function("inner"), trace.function("f")
    a = inner.argument("a")
    inner.returns(a)
    x, read = f.argument("x"), f.read(w)
    product = f.op("Mul", read, x)
    (called,) = f.call(inner, product)
    program = read_program(trace)
    assert program.inputs_of(product.site) == [read, x]
    assert program.inputs_of(x.site) == []
    assert program.sites[read.site].reads == (w,)
    assert program.sites[called.site].call is CallKind.CALL
    assert [each.name for each in program.called_by(program.sites[called.site]) if each] == ["inner"]
    assert program.functions[inner.number].outputs == (TensorRef(inner.outputs[0].site, 0),)
    assert program.sources[FILE] == "import tensorflow as tf"
    assert program.stacks[0][0].file == FILE
    assert program.paths[0] == ""


def test_python_names() -> None:
    """Branches and bodies of loops belong to the function around them; generated names are undone."""
    trace = TraceBuilder()
    cond, body, f = trace.function("while_cond_3"), trace.function("while_body_4"), trace.function("train_step")
    backward = trace.function("__backward_unstable_loss_83")
    for graph in (cond, body):
        graph.returns(graph.argument("a"))
    f.loop(cond, body, f.argument("x"))
    names = read_program(trace).python_names
    assert [names[graph.number] for graph in (cond, body, f, backward)] == [
        "train_step", "train_step", "train_step", "unstable_loss",
    ]  # fmt: skip


def test_a_circle_of_identities_comes_to_an_end() -> None:
    trace = TraceBuilder([])
    f = trace.function("f")
    x = f.argument("x")
    first = f.op("Identity", x)
    second = f.op("Identity", first)
    program = read_program(trace)
    assert list(program.handed_on(second)) == [second, first, x]
    edges = program.edges.copy()
    edges[edges[:, 0] == first.site, 2] = second.site
    assert list(replace(program, edges=edges).handed_on(second)) == [second, first]


def test_the_body_of_a_loop_over_a_dataset_bears_the_name_of_its_function(tmp_path: Path) -> None:
    @tf.function
    def total(data: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0.0)
        for x in data:
            result += tf.math.log(x)
        return result

    reader = record(tmp_path, lambda: total(tf.data.Dataset.from_tensor_slices([4.0, 0.0]))).reader
    assert set(read_program(reader).python_names.values()) == {"total"}
    assert history_of(reader, "x", "total").functions == ("total",)
    assert [each.name for each in list_functions(reader)] == ["total"]
