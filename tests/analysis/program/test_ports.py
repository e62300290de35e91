"""Ports: one number per output, those of a graph side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.ports import number_ports
from tensordbg.errors import TraceError
from tensordbg.model import NONE, TensorRef
from tests.analysis.builder import TraceBuilder

NOTHING = np.empty(0, dtype=np.int64)


def test_blocks_lie_side_by_side() -> None:
    trace = TraceBuilder()
    f, g = trace.function("f"), trace.function("g")
    a = f.op("A", dtypes=["float32", "int32", "variant"])
    b = g.op("B")
    c = f.op("C", TensorRef(a.site, 1), a, TensorRef(a.site, 2), dtypes=[])
    eager = trace.site(NONE, "E", "E")
    ports = number_ports(read_program(trace), NOTHING, NOTHING)
    assert ports.block_size[[f.number, g.number]].tolist() == [4, 1]
    assert ports.of(a) == ports.block_first[f.number]
    assert ports.of(b) == ports.block_first[g.number]
    assert ports.block_size[ports.block[eager]] == 1
    assert ports.of(TensorRef(99, 0)) == NONE
    assert ports.of(TensorRef(b.site, 5)) == NONE
    taken = ports.inputs.ports[ports.inputs.starts[c.site] : ports.inputs.starts[c.site + 1]]
    assert taken.tolist() == [ports.of(TensorRef(a.site, slot)) for slot in (1, 0, 2)]
    carrying = ports.carrying.ports[ports.carrying.starts[c.site] : ports.carrying.starts[c.site + 1]]
    assert carrying.tolist() == [ports.of(TensorRef(a.site, slot)) for slot in (0, 2)]


def test_slots_that_only_an_event_tells_of() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    a = f.op("A")
    ports = number_ports(read_program(trace), np.array([a.site]), np.array([3]))
    assert ports.count[a.site] == 4


def test_a_graph_that_holds_nothing_has_an_empty_block() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    f.op("A")
    program = read_program(trace)
    functions = {f.number: replace(program.functions[f.number], graph=60)}
    assert number_ports(replace(program, functions=functions), NOTHING, NOTHING).block_size[60] == 0


def test_far_more_outputs_than_are_named_are_damage() -> None:
    trace = TraceBuilder()
    sites = np.array([trace.function("f").op("A").site for _ in range(40)])
    with pytest.raises(TraceError, match=r"have 2,621,440 outputs, of which 80 are named: it is damaged"):
        number_ports(read_program(trace), sites, np.full(len(sites), 65535))
