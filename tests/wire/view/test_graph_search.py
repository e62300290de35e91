from __future__ import annotations

from tensordbg.analysis.view.graphs.search import FoundInGraph, FoundThing
from tensordbg.wire.view.graph_search import FoundInGraphView, FoundThingView, found_view


def test_what_was_found_is_told_as_it_is() -> None:
    found = FoundInGraph(7, (FoundThing("loss/Log", "Log", "Log", False, ("loss/",)),))
    assert found_view(found) == FoundInGraphView(7, (FoundThingView("loss/Log", "Log", "Log", False, ("loss/",)),))
