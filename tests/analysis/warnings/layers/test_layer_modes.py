"""Layers that are left in the wrong way of computing."""

from __future__ import annotations

import json

import pytest

from tensordbg.analysis.warnings.layers.layer_modes import evaluated_in_training_mode, trained_in_evaluation_mode
from tensordbg.model import GRADIENT_FOR, NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied

NORM = "aten::native_batch_norm"
LAYER = json.dumps({"path": "norm", "class": "BatchNorm1d", "output_of": []})


class Model:
    """A batch normalization with its backward pass; each call is one step or one look."""

    def __init__(self) -> None:
        self.trace = TraceBuilder()
        names = ("weight", "running_mean", "running_var")
        variables = [self.trace.variable(name, "[2]", trainable=name == "weight") for name in names]
        sites = [self._site("Parameter", reads=[each]) for each in variables]
        values = ([1.0, 1.0], [0.0, 0.0], [1.0, 1.0])
        self.held = [
            self.trace.output(self.trace.eager("Parameter", values=given, site=site))
            for site, given in zip(sites, values, strict=True)
        ]
        told = json.dumps({GRADIENT_FOR: [[0, variables[0]]]})
        self.learning, self.asked = {}, {}
        for mode in (True, False):
            attributes = json.dumps({"training": mode})
            forward = self._site(NORM, layer=LAYER, attributes=attributes)
            back = self._site("aten::native_batch_norm_backward", gradient_of=forward, attributes=told)
            self.learning[mode] = (forward, back)
            self.asked[mode] = self._site(NORM, layer=LAYER, attributes=attributes)
        self.update = self._site("aten::sub_", writes=[variables[0]])
        self.judged = self._site("aten::nll_loss_forward")

    def _site(self, op_type: str, **fields: object) -> int:
        return self.trace.site(NONE, op_type, op_type, (), fields)

    def learn(self, times: int, *, mode: bool) -> None:
        forward, back = self.learning[mode]
        for _ in range(times):
            out = self.trace.output(self.trace.eager(NORM, *self.held, values=[1.0, 2.0], site=forward))
            kind = "aten::native_batch_norm_backward"
            slope = self.trace.output(self.trace.eager(kind, out, values=[1.0, 3.0], site=back))
            written = self.trace.eager("aten::sub_", self.held[0], slope, values=[1.0, 0.5], site=self.update)
            self.held[0] = self.trace.output(written)

    def ask(self, *, mode: bool) -> None:
        out = self.trace.output(self.trace.eager(NORM, *self.held, values=[1.0, 2.0], site=self.asked[mode]))
        self.trace.eager("aten::nll_loss_forward", out, values=0.5, site=self.judged)


def test_a_model_that_never_learned() -> None:
    model = Model()
    model.learn(8, mode=False)
    (finding,) = trained_in_evaluation_mode(studied(model.trace))
    assert finding.explanation == (
        "In training, from the first step on, the model normalizes by the kept mean, which is meant for evaluation "
        "(layer norm)."
    )


def test_a_validation_that_does_not_switch() -> None:
    model = Model()
    for _ in range(3):
        model.learn(4, mode=True)
        model.ask(mode=True)
    (finding,) = evaluated_in_training_mode(studied(model.trace))
    assert "it normalizes by the mean of the batch, which is meant for training (layer norm)" in finding.explanation
    assert trained_in_evaluation_mode(studied(model.trace)) == []


@pytest.mark.parametrize("modes", [(True, False), (True, True)])
def test_a_model_that_is_switched_forth_and_back(modes: tuple[bool, bool]) -> None:
    model = Model()
    for _ in modes:
        model.learn(8, mode=True)
        model.ask(mode=False)
    model.learn(8 if modes[1] else 2, mode=modes[1])
    study = studied(model.trace)
    assert trained_in_evaluation_mode(study) == evaluated_in_training_mode(study) == []
