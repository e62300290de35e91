"""Lines of source: the user's own innermost one, with its neighbours."""

from __future__ import annotations

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.locations import Locations
from tests.analysis.builder import FILE, TraceBuilder

SOURCE = ["def loss(probs):", "    # the logarithm", "    y = tf.math.log(", "        probs)", "    return y"]


def test_the_users_own_line() -> None:
    trace = TraceBuilder(SOURCE)
    site = trace.site(-1, "Log", "Log", (), {"line": 4, "within": "loss"})
    locations = Locations(read_program(trace))
    stack = locations.stack(trace.sites[site]["stack"])
    assert [line.user for line in stack] == [True, True, False]
    assert stack[-1].text == ""
    own = locations.own(stack)
    assert own is not None
    assert (own.file, own.line, own.function, own.text, own.indent) == (FILE, 4, "loss", "probs)", 8)
    assert own.before == tuple(SOURCE[:3])
    assert own.after == ("    return y",)


def test_no_line_of_the_users_own() -> None:
    locations = Locations(read_program(TraceBuilder()))
    assert locations.own(locations.stack(7)) is None
