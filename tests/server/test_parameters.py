from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.view.requests import Centre, EventList, Whole, Window
from tensordbg.server import parameters as asked


class Witness:
    """Stands for `RunAnswers`, and notes which method is asked for what."""

    def __getattr__(self, method: str) -> Any:
        return lambda *arguments: (method, *arguments)


@pytest.mark.parametrize(
    ("parameters", "call"),
    [
        (asked.OfOverview(), ("overview",)),
        (asked.OfFindings(), ("findings",)),
        (
            asked.Events(process="p", begin=3, count=4, search="s", order="o", descending=True),
            ("events", "p", EventList("s", "o", True), 3, 4),
        ),
        (asked.Place(process="p", event=3, search="s"), ("place", "p", EventList("s"), 3)),
        (asked.Next(process="p", event=-1, search="s", direction="backward"), ("next", "p", "s", -1, "backward")),
        (asked.OneEvent(process="p", event=3), ("event", "p", 3)),
        (asked.Suggest(process="p", search="s", cursor=1), ("suggestions", "p", "s", 1)),
        (asked.TimeRange(process="p", begin_ns=1, end_ns=2, width=60), ("timeline", "p", 1, 2, 60)),
        (asked.TimeRange(), ("timeline", "", None, None, 1000)),
        (asked.OneExecution(process="p", execution=3), ("execution", "p", 3)),
        (asked.OneTensor(process="p", tensor="a:0", function="f", points=20), ("tensor", "p", "a:0", "f", 20)),
        (
            asked.Values(process="p", event=3, slice="[0]", row_offset=1, column_offset=2, rows=5, columns=6),
            ("values", "p", 3, Window("[0]", 1, 2, 5, 6)),
        ),
        (
            asked.Graph(process="p", event=3, hops=4, opened=("a",)),
            ("graph", "p", Centre(event=3, hops=4, opened=("a",))),
        ),
        (asked.Graph(function="f", operation="o"), ("graph", "", Centre(function="f", operation="o"))),
        (
            asked.WholeGraph(process="p", event=3, function="f", opened=("a",), closed=("b", "c")),
            ("whole", "p", Whole(3, "f", ("a",), ("b", "c"))),
        ),
        (asked.WholeGraph(), ("whole", "", Whole())),
        (asked.FindInGraph(process="p", event=3, function="f", text="t"), ("find", "p", Whole(3, "f"), "t")),
        (asked.Matrix(measure="loss", width=7), ("matrix", "loss", 7)),
        (asked.Sql(query="select 1"), ("sql", "select 1")),
        (asked.OfSources(process="p"), ("sources", "p")),
        (asked.Source(process="p", file="a.py"), ("source", "p", "a.py")),
        (asked.Following(process="p", revision=3, wait=4), ("live", "p")),
    ],
)
def test_each_asks_its_method(parameters: Any, call: tuple[Any, ...]) -> None:
    assert parameters.ask(Witness()) == call
