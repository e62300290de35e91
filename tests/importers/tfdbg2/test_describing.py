from __future__ import annotations

from pathlib import Path

from tensordbg.importers.tfdbg2.describing import UNRECORDED, Describer
from tensordbg.importers.tfdbg2.program import Program
from tensordbg.importers.tfdbg2.stacks import FrameTable, Stacks
from tensordbg.importers.tfdbg2.variables import Variables
from tensordbg.model import CallKind, Detail, Site, TensorRef
from tensordbg.trace.program.metadata import describe_this_process
from tensordbg.trace.writer import TraceWriter
from tests.importers.tfdbg2.logbuilder import LogBuilder
from tests.importers.tfdbg2.samples import loop_and_branch, nested_functions
from tests.importers.tfdbg2.test_graphs import graphs_of


def describer(log: LogBuilder, folder: Path) -> Describer:
    program = Program.of(graphs_of(log))
    writer = TraceWriter.create(folder / "trace", describe_this_process("train", Detail.HEALTH, "test"))
    return Describer(program, Variables(program), Stacks(FrameTable({}, {}), writer), {("train", "Neg", 0): "float16"})


def sites_of(describer: Describer) -> dict[tuple[int, str], Site]:
    return {(site.function, site.name): site for site in describer.sites()}


def test_what_a_called_function_is_given_may_be_all_that_was_made_before(log: LogBuilder, tmp_path: Path) -> None:
    nested_functions(log)
    described = describer(log, tmp_path)
    sites, numbers = sites_of(described), described.program.sites["train"]
    given = sites[0, "StatefulPartitionedCall/given"]
    assert given.op_type == UNRECORDED
    assert given.inputs == (TensorRef(numbers["x"], 0), TensorRef(numbers["Square"], 0))
    call = sites[0, "StatefulPartitionedCall"]
    assert call.call is CallKind.CALL
    assert call.called == ("inner_1",)
    assert call.inputs == (TensorRef(given.site, 0), TensorRef(numbers["Square"], 0))
    backward = sites[0, "StatefulPartitionedCall_1"]
    assert backward.inputs[1] == TensorRef(call.site, 1)


def test_types_are_those_that_events_tell(log: LogBuilder, tmp_path: Path) -> None:
    nested_functions(log)
    sites = sites_of(describer(log, tmp_path))
    assert (sites[0, "Neg"].dtypes, sites[0, "Square"].dtypes) == (("float16",), ("",))


def test_functions_have_arguments_and_results(log: LogBuilder, tmp_path: Path) -> None:
    nested_functions(log)
    described = describer(log, tmp_path)
    graphs, numbers = described.program.graphs.all, described.program.sites["inner"]
    inner = described.function(graphs["inner"])
    assert (inner.name, inner.function, inner.graph) == ("inner", 1, 1)
    assert inner.arguments == (numbers["y"], numbers["mul/Square"])
    assert inner.outputs == (TensorRef(numbers["Identity"], 0), TensorRef(numbers["Log"], 0))
    assert len(described.function(graphs["backward"]).outputs) == 1


def test_a_loop_returns_what_it_captured(log: LogBuilder, tmp_path: Path) -> None:
    loop_and_branch(log)
    described = describer(log, tmp_path)
    numbers = described.program.sites["body"]
    body = described.function(described.program.graphs.all["body"])
    assert body.outputs == (TensorRef(numbers["while/Identity"], 0), TensorRef(numbers["while/limit"], 0))


def test_arguments_of_a_branch_keep_the_order_of_the_call(log: LogBuilder, tmp_path: Path) -> None:
    loop_and_branch(log)
    described = describer(log, tmp_path)
    numbers = described.program.sites["else"]
    other = described.function(described.program.graphs.all["else"])
    assert other.arguments == (numbers["cond/Add/while"], numbers["cond/Add/x"])
    assert sites_of(described)[other.function, "cond/Add/x"].argument == 1


def test_the_operation_whose_gradient_is_computed(log: LogBuilder, tmp_path: Path) -> None:
    log.graph("g", "f")
    log.operation("g", "Sqrt", "Sqrt", ["x:0"])
    log.operation("g", "SqrtGrad", "SqrtGrad", ["Sqrt:0", "y:0"])
    sites = sites_of(describer(log, tmp_path))
    assert sites[0, "SqrtGrad"].gradient_of == sites[0, "Sqrt"].site
