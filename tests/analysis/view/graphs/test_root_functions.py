from __future__ import annotations

from tensordbg.analysis.view.graphs.root_functions import root_functions
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import loop_trace


def test_functions_called_from_python_what_is_bad_first() -> None:
    trace = TraceBuilder()
    for name, values in (("few", [1.0]), ("many", [1.0]), ("wrong", [nan])):
        f = trace.function(name)
        x = f.op("Exp")
        run = trace.run(f)
        for _ in range(3 if name == "many" else 1):
            run.event(x, values)
    trace.function("never")
    assert [each.name for each in root_functions(opened_builder(trace))] == ["wrong", "many", "few"]


def test_parts_of_functions_and_eager_code_are_none() -> None:
    assert [each.name for each in root_functions(loop_trace().opened)] == ["step"]
    assert root_functions(opened_builder(TraceBuilder())) == ()
