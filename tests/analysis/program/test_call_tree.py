from __future__ import annotations

from tensordbg.analysis.program.call_tree import call_tree, parts, without_numbers
from tensordbg.analysis.program.description import read_program
from tensordbg.model import CallKind, Site
from tests.analysis.builder import TraceBuilder
from tests.analysis.graphs.sample_graphs import nested, tree_of


def test_all_that_a_function_calls_is_opened() -> None:
    tree = tree_of(*nested())
    assert list(tree.instances) == [
        "x", "while", "while/cond/i", "while/cond/Less", "while/body/i", "while/body/while/call",
        "while/body/while/call/x", "while/body/while/call/Sin", "pred", "cond", "cond/then/a", "cond/then/Exp",
        "cond/else/a", "cond/else/Identity", "Neg",
    ]  # fmt: skip
    assert [tree.instances[key].depth for key in ("x", "while/cond/Less", "while/body/while/call/Sin")] == [0, 1, 2]
    assert tree.unopened == 0
    assert (tree.arguments, tree.results) == (("x", "pred"), ("Neg",))


def test_depth() -> None:
    trace, outer = nested()
    assert list(tree_of(trace, outer, 0).instances) == ["x", "while", "pred", "cond", "Neg"]
    assert tree_of(trace, outer, 0).unopened == 2
    one = tree_of(trace, outer, 1)
    assert ("while/body/while/call" in one.instances, "while/body/while/call/Sin" in one.instances) == (True, False)
    assert one.unopened == 1


def test_data_flows_into_calls_and_out_of_them() -> None:
    tree = tree_of(*nested())
    assert tree.sources["while/body/i"] == ("x",)
    assert tree.sources["while"] == ("x", "while/cond/Less", "while/body/while/call")
    assert tree.sources["cond/then/a"] == ("while",), "input 0 of a branch chooses it"
    assert tree.consumers["while/body/while/call/Sin"] == ("while/body/while/call",)
    assert tree.inputs(tree.instances["Neg"]) == [("cond", 0)]


def test_a_function_that_calls_itself_comes_to_an_end() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    graph.outputs.extend(graph.call(graph, graph.argument("x"), name="call"))
    assert list(tree_of(trace, graph).instances) == ["x", "call"]


def test_only_the_sites_that_a_function_has() -> None:
    trace, outer = nested()
    program = read_program(trace)
    function = program.functions[outer.number]
    sites = {site.site: site.name for site in program.sites_of_graph[outer.number] if site.name in {"x", "while"}}
    renamed = {site: "while_4" if name == "while" else name for site, name in sites.items()}
    tree = call_tree(program, function, lambda each: renamed if each is function else {})
    assert [key for key, instance in tree.instances.items() if not instance.depth] == ["x", "while_4"]
    assert "while_4/body/while/call/Sin" in tree.instances


def test_names_of_the_runtime() -> None:
    assert without_numbers("while/body/_7/while/cond/else/_12/Exp") == "while/body/while/cond/else/Exp"
    assert without_numbers("case/branch2/_3/mul") == "case/branch2/mul"
    assert without_numbers("while/exit/_25") == "while/exit/_25"


def test_parts_of_a_case() -> None:
    case = Site(0, "case", "StatelessCase", 0, 0, call=CallKind.IF, called=("a", "b", "c"))
    assert parts(case) == ("branch0", "branch1", "branch2")
