from __future__ import annotations

import json

import pytest

from tensordbg.analysis.view.graphs import eager_whole
from tensordbg.analysis.view.graphs.eager_whole import eager_graph, eager_step
from tensordbg.analysis.view.graphs.search import find_in_graph
from tensordbg.analysis.view.graphs.whole import WholeGraph
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.requests import Whole
from tensordbg.errors import AbsentError
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.view.built import opened_builder


def layered(path: str) -> dict[str, str]:
    return {"layer": json.dumps({"path": path, "class_name": "Dense"})}


class Training:
    """Three steps of eager code with two modules of several operations; the logarithm of the last step is NaN."""

    def __init__(self) -> None:
        self.trace = TraceBuilder()
        names = ("up.0.mul", "up.0.mul", "up.0.mul", "up.1.add", "up.1.add", "")
        kinds = ("Mul", "Sin", "Cos", "Add", "Tanh", "Log")
        sites = [
            self.trace.site(-1, kind, kind, (), layered(name) if name else {})
            for kind, name in zip(kinds, names, strict=True)
        ]
        backward = [
            self.trace.site(-1, kind, kind, (), {"backprop": "_gradient_function"}) for kind in ("LogGrad", "TanhGrad")
        ]
        self.logs = []
        for step in range(3):
            given: tuple[int, ...] = ()
            for site in sites:
                bad = step == 2 and site == sites[-1]
                run = self.trace.eager("", *given, site=site, values=[nan if bad else 1.0])
                given = (self.trace.output(run),)
            for site in backward:
                self.trace.eager("", *given, site=site, values=[1.0])
            self.logs.append(8 * step + 5)

    @property
    def opened(self) -> OpenedTrace:
        return opened_builder(self.trace)


def drawn(asked: Whole, origins: tuple[int, ...] = ()) -> WholeGraph:
    return eager_graph(Training().opened, asked, origins)


def is_open(graph: WholeGraph) -> dict[str, bool]:
    return {each.box.name.box: each.opened for each in graph.boxes}


def test_a_step_has_its_modules_as_boxes_and_its_flow() -> None:
    graph = drawn(Whole(Training().logs[1]))
    assert graph.whole.function.name == "eager code, step 1"
    assert graph.centre.startswith("Log#")
    assert [each.box.name.label for each in graph.boxes][:2] == ["up.0/mul", "up.1/add"]
    assert not any(is_open(graph).values())
    ends = {(each.source.partition("#")[0], each.target.partition("#")[0]) for each in graph.bundles}
    assert {("up.0/mul/", "up.1/add/"), ("up.1/add/", "Log")} <= ends
    assert graph.inside.bad == 0


def test_without_an_event_it_is_the_step_that_went_wrong() -> None:
    graph = drawn(Whole(), origins=(Training().logs[2],))
    assert graph.whole.function.name == "eager code, step 2"
    (log,) = [key for key in graph.operations if key.startswith("Log#")]
    assert graph.bad == {log}
    assert graph.events[log].rows[0].event == Training().logs[2]
    assert graph.inside.origin


def test_the_backward_pass_is_a_box() -> None:
    (box,) = [each.box for each in drawn(Whole(0)).boxes if each.box.name.label == eager_whole.BACKWARD]
    assert [key.partition("#")[0] for key in box.inside] == ["LogGrad", "TanhGrad"]


def test_it_is_searched() -> None:
    found = find_in_graph(Training().opened, Whole(0), "cos")
    assert [(each.title, each.around) for each in found.things] == [("Cos", ("up.0/mul/",))]


def test_of_a_long_step_what_is_around_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eager_whole, "MOST_EXECUTIONS", 4)
    step = eager_step(Training().opened, Whole(13))
    assert list(step.rows.values()) == [11, 12, 13, 14]
    assert step.function.name == "eager code, step 1, 4 of 8 operations"


def test_what_is_not_there() -> None:
    with pytest.raises(AbsentError, match="no event 99"):
        drawn(Whole(99))
    with pytest.raises(AbsentError, match="no operations"):
        eager_graph(opened_builder(TraceBuilder()), Whole(), ())
