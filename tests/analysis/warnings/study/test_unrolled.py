"""Loops that Python runs."""

from __future__ import annotations

import pytest

from tensordbg.analysis.warnings.magnitudes.loop_growth import growth_in_loops
from tensordbg.analysis.warnings.study.unrolled import is_chain, unrolled_in_graphs
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def graph(factor: float, turns: int, chained: bool) -> TraceBuilder:
    """Operations of one line of a graph, each made from the one before or all from the argument."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    states = [x]
    for _ in range(turns):
        states.append(f.op("Mul", states[-1] if chained else x, line=5))
        trace.sites[states[-1].site]["stack"] = trace.sites[states[1].site]["stack"]
    for _ in range(3):
        run = trace.run(f)
        for turn, state in enumerate(states):
            run.event(state, [factor**turn, 1e-3])
    return trace


def test_operations_of_one_line_that_are_made_from_each_other() -> None:
    seen = studied(graph(1.6, 24, chained=True))
    (turns,) = unrolled_in_graphs(seen)
    assert len(turns.sizes) == 24
    assert is_chain(seen, turns)
    (finding,) = growth_in_loops(seen)
    assert finding.evidence["turns"] == 24


@pytest.mark.parametrize(
    ("factor", "turns", "chained"), [(1.6, 24, False), (1.1, 24, True), (10.0, 8, True), (0.5, 24, True)]
)
def test_other_operations_of_one_line_are_no_trouble(factor: float, turns: int, chained: bool) -> None:
    assert growth_in_loops(studied(graph(factor, turns, chained))) == []


@pytest.mark.parametrize(
    ("turns", "loops", "factor", "told"), [(20, 4, 1.8, 1), (20, 4, 1.1, 0), (8, 10, 5.0, 0), (40, 1, 1.8, 0)]
)
def test_an_eager_operation_whose_numbers_grow_and_fall_back(turns: int, loops: int, factor: float, told: int) -> None:
    trace = TraceBuilder()
    site = trace.site(NONE, "Mul", "Mul", (), {"dtypes": ["float32"]})
    for step in range(turns * loops):
        trace.eager("Mul", values=[factor ** (step % turns), 0.0], site=site)
    assert len(growth_in_loops(studied(trace))) == told


@pytest.mark.parametrize(("changes", "told"), [(True, 0), (False, 1)])
def test_steps_of_a_training_in_between_make_no_loop(changes: bool, told: int) -> None:
    trace = TraceBuilder()
    weight = trace.variable("w", "[2]", trainable=True)
    read = trace.site(NONE, "Parameter", "Parameter", (), {"dtypes": ["float32"], "reads": [weight]})
    site = trace.site(NONE, "Mul", "Mul", (), {"dtypes": ["float32"]})
    for step in range(80):
        held = trace.output(trace.eager("Parameter", values=[1.0, step * changes], site=read))
        trace.eager("Mul", held, values=[1.8 ** (step % 20), 0.0], site=site)
    assert len(growth_in_loops(studied(trace))) == told


@pytest.mark.parametrize(("factor", "told"), [(1.8, 1), (1.05, 0)])
def test_an_eager_gradient_that_grows_backwards_is_told_at_its_forward_line(factor: float, told: int) -> None:
    trace = TraceBuilder()
    line = {"dtypes": ["float32"]}
    sine, other = (trace.site(NONE, "Sin", "Sin", (), line | {"line": number}) for number in (5, 6))
    slope = trace.site(NONE, "Mul", "Mul", (), line | {"backprop": "_gradient_function"})
    trace.stacks[trace.sites[slope]["stack"]]["frames"].append(
        ("/tensorflow/python/ops/math_grad.py", 9, "_SinGrad", False)
    )
    for _ in range(4):
        made = [trace.eager("Sin", values=[0.5], site=sine) for _ in range(20)]
        last = trace.eager("Sin", trace.output(made[-1]), values=[0.4], site=other)
        for turn, each in enumerate([last, *reversed(made)]):
            trace.eager("Mul", trace.output(each), values=[factor**turn, 0.0], site=slope)
    findings = growth_in_loops(studied(trace))
    assert [each.site for each in findings] == [sine] * told
