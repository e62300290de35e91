"""Variables that an optimizer was given: those take part of which a loss is made, be it by a choice alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.warnings.gradients.in_optimizers import ports_in_optimizers
from tensordbg.model import TensorRef
from tensordbg.trace.program.optimizers import OptimizerSettings
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


@pytest.mark.parametrize("among", [(0, 1), (1,), ()])
def test_a_choice_leads_to_the_loss_and_what_is_only_shown_does_not(among: tuple[int, ...]) -> None:
    trace = TraceBuilder()
    codes, kernel, shown = (trace.variable(name, "[4]", trainable=True) for name in ("codes", "kernel", "shown"))
    settings = OptimizerSettings(0, 0, "SGD", 0, {}, (*among, shown) if among else ())
    trace.facts = replace(trace.facts, optimizers=(settings,))
    f = trace.function("train_step")
    x = f.argument("x")
    reads = {variable: f.read(variable, f"read_{variable}") for variable in (codes, kernel, shown)}
    largest = f.op("ArgMax", f.op("MatMul", x, reads[codes]), dtype="int64")
    product = f.op("MatMul", f.op("OneHot", largest), reads[kernel])
    loss = f.op("Mean", product, name="loss", attributes='{"differentiated": [0]}')
    f.op("MatMul", x, reads[shown], name="shown")
    f.write(kernel, f.op("Mul", loss, name="gradient_tape/Mul", gradient_of=loss.site), op_type="AssignSubVariableOp")
    f.returns(loss)
    for step in range(6):
        run = trace.run(f)
        for ref in reads.values():
            run.event(TensorRef(ref.site, ref.slot), [float(step)] * 4)
    study = studied(trace)
    assert {study.variable_of[port] for port in ports_in_optimizers(study)} == set(among)
