from __future__ import annotations

import numpy as np

from tensordbg.analysis.failures.backward_pass import Recording, in_backward_pass
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import NONE
from tensordbg.trace.program.facts import Failure
from tests.analysis.builder import TraceBuilder


def told(trace: TraceBuilder, message: str, site: int) -> list[tuple[str, str]]:
    program = read_program(trace)
    recording = Recording(trace, program, read_executions(trace, program))
    found = in_backward_pass(Failure("RuntimeError", message, site), recording, Locations(program))
    return [(each.what, each.explanation) for each in found]


def test_who_wrote_into_what_a_gradient_needs() -> None:
    trace = TraceBuilder()
    x = trace.eager("aten::randn", values=np.ones([8, 3]), framework="torch")
    exp = trace.eager("aten::exp", trace.output(x), values=np.ones([8, 3]), framework="torch")
    forward = len(read_program(trace).sites) - 1
    trace.eager("aten::add", trace.output(exp), values=np.ones([8, 3]), framework="torch")
    trace.eager("aten::add_", trace.output(exp), values=np.ones([8, 3]), framework="torch")
    node = trace.site(NONE, "ExpBackward0", "ExpBackward0", (), {"framework": "torch", "gradient_of": forward})
    message = "one of the variables ... has been modified by an inplace operation: [torch.FloatTensor [8, 3]], which"
    assert told(trace, message, node) == [
        ("forward", "the gradient of aten::exp:0"),
        ("overwritten", "aten::add_:0 wrote over aten::exp:0, which its gradient needs as it was"),
    ]


def test_the_pass_before_that_freed_the_graph() -> None:
    trace = TraceBuilder()
    trace.eager("aten::pow", values=np.ones([3]), framework="torch")
    trace.eager("aten::mul", values=np.ones([3]), framework="torch", gradient_of=0)
    node = trace.site(NONE, "PowBackward0", "PowBackward0", (), {"framework": "torch", "gradient_of": 0})
    found = told(trace, "Trying to backward through the graph a second time (or ...", node)
    assert [what for what, _ in found] == ["forward", "backward"]


def test_what_is_no_gradient_has_no_forward_operation() -> None:
    trace = TraceBuilder()
    trace.eager("aten::pow", values=np.ones([3]), framework="torch")
    assert told(trace, "shapes", 0) == []
