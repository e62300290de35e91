"""Call paths as the runtime spells them, read back into the operations that made the calls."""

from __future__ import annotations

import pytest

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.places import BODY, Place, Places
from tensordbg.model import CallKind
from tests.analysis.builder import Graph, TraceBuilder


def program() -> tuple[Places, dict[str, Graph]]:
    """A loop whose body calls a function, and two branches, all below `root`."""
    trace = TraceBuilder()
    graphs = {name: trace.function(name) for name in ("leaf", "cond", "body", "then", "other", "root")}
    for graph in graphs.values():
        graph.returns(graph.argument("a"))
    body, root = graphs["body"], graphs["root"]
    body.call(graphs["leaf"], body.outputs[0], name="while/PartitionedCall")
    x = root.outputs[0]
    root.loop(graphs["cond"], body, x)
    root.cond(graphs["then"], graphs["other"], x, x)
    root.call(graphs["leaf"], x, name="PartitionedCall")
    root.call(graphs["then"], x, name="PartitionedCall/inner")
    return Places(read_program(trace)), graphs


@pytest.mark.parametrize(
    ("path", "block", "kind", "depth"),
    [
        ("", "root", CallKind.NONE, 0),
        ("PartitionedCall", "leaf", CallKind.CALL, 1),
        ("PartitionedCall/inner", "then", CallKind.CALL, 1),
        ("while/body/_7", "body", CallKind.WHILE, 1),
        ("while/cond/_6", "cond", CallKind.WHILE, 1),
        ("while/body", "body", CallKind.WHILE, 1),
        ("cond/then/_41", "then", CallKind.IF, 1),
        ("cond/else/_42", "other", CallKind.IF, 1),
        ("cond/branch0/_5", "then", CallKind.IF, 1),
        ("cond/branches_1/_5", "other", CallKind.IF, 1),
        ("while/body/_7/while/PartitionedCall", "leaf", CallKind.CALL, 2),
    ],
)
def test_paths(path: str, block: str, kind: CallKind, depth: int) -> None:
    places, graphs = program()
    place = places.find(graphs["root"].number, path, graphs[block].number)
    assert (place.block, place.kind, place.depth) == (graphs[block].number, kind, depth)
    assert places.all[place.root].block == graphs["root"].number


def test_a_place_knows_its_loop() -> None:
    places, graphs = program()
    inner = places.find(graphs["root"].number, "while/body/_7/while/PartitionedCall", graphs["leaf"].number)
    loop = places.all[inner.loop]
    assert (loop.kind, loop.part) == (CallKind.WHILE, BODY)
    assert places.all[inner.parent] is loop


@pytest.mark.parametrize("path", ["elsewhere", "while", "while/neither/_3", "cond/then/_41/more"])
def test_a_path_that_cannot_be_read_stands_by_itself(path: str) -> None:
    places, graphs = program()
    place = places.find(graphs["root"].number, path, graphs["leaf"].number)
    assert (place.depth, place.block) == (0, graphs["leaf"].number)


def test_a_path_relative_to_a_function_that_was_not_inlined() -> None:
    places, graphs = program()
    place = places.find(graphs["root"].number, "while/PartitionedCall", graphs["leaf"].number)
    assert places.all[place.root].block == graphs["body"].number


def test_the_same_place_has_one_number() -> None:
    places, graphs = program()
    found: list[Place] = [
        places.find(graphs["root"].number, path, graphs["body"].number) for path in ("while/body/_7", "while/body/_9")
    ]
    assert found[0] is found[1]
    assert places.column("block").tolist()[-1] == -1
