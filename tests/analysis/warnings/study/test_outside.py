"""What is made of the program's arguments alone, and what of variables or of itself."""

from __future__ import annotations

from tensordbg.analysis.warnings.study.outside import comes_in
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def test_arguments_come_in_and_what_is_made_of_variables_does_not() -> None:
    study = studied(network())
    known = {study.name(k): comes_in(study, int(study.port[k])) for k in range(len(study.series))}
    assert (known["x:0"], known["MatMul:0"], known["kernel"]) == (True, False, False)


def test_what_is_made_of_itself_does_not_come_in() -> None:
    trace = TraceBuilder()
    site = trace.site(NONE, "Mul", "Mul", (), {"dtypes": ["float32"]})
    state = trace.eager("Input", values=[1.0])
    for step in range(8):
        state = trace.eager("Mul", trace.output(state), values=[2.0**step], site=site)
    study = studied(trace)
    assert [comes_in(study, int(study.port[k])) for k in range(len(study.series)) if study.name(k) == "Mul:0"] == [
        False
    ]
