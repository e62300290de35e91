"""`--overhead SHARE`: steps of which only what matters most is recorded, and what `why` makes of trouble in these."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tests import programs

# All steps but the first and those from `WHOLE` on are recorded in part, as a budget may have it.
FORCED = """
import tensordbg
from tensordbg.recording import budget

def begin(self, key, now, number=iter(range(10**6))):
    plain(self, key, now)
    step = next(number)
    self._look = budget.Look.ALL if not step or step >= WHOLE else budget.Look.MATTERING
    return self._look

plain, budget.Budget.begin = budget.Budget.begin, begin
"""

FUNCTIONS = """
import tensorflow as tf
{forced}
weight = tf.Variable([1.0, 2.0], name="weight")

@tf.function
def train_step(x):
    with tf.GradientTape() as tape:
        inner = tf.sqrt(x * 2.0 - 1.0) + 3.0
        loss = tf.reduce_mean(inner * weight)
    weight.assign_sub(0.01 * tape.gradient(loss, weight))
    return loss

with tensordbg.record("runs", overhead=0.02):
    for step in range(6):
        train_step(tf.constant([4.0, -3.0 if step == {bad} else 1.0]))
"""

TORCH = """
import torch
{forced}
torch.manual_seed(1)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
with tensordbg.record("runs", overhead=0.02):
    for step in range(6):
        x = torch.tensor([[4.0, -3.0 if step == {bad} else 1.0]])
        loss = (model(torch.sqrt(x * 2.0 - 1.0) + 3.0) * 2.0).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def trace_of(folder: Path, program: str, bad: int, whole: int) -> Any:
    programs.skip_without_what_it_imports(program)
    text = program.format(forced=FORCED.replace("WHOLE", str(whole)), bad=bad)
    (folder / "train.py").write_text(text)
    programs.run([sys.executable, "train.py"], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    return tensordbg.open(folder / "runs")


@pytest.mark.parametrize("program", [FUNCTIONS, TORCH], ids=["functions", "torch"])
def test_trouble_in_a_step_recorded_in_part_is_not_blamed_on_what_was_recorded(program: str, tmp_path: Path) -> None:
    trace = trace_of(tmp_path, program, bad=3, whole=10)
    first = trace.why().origins[0]
    assert (first.cause, first.view.step) == ("between_recorded_tensors", 3)


@pytest.mark.parametrize("program", [FUNCTIONS, TORCH], ids=["functions", "torch"])
def test_trouble_in_a_whole_step_is_explained_as_ever(program: str, tmp_path: Path) -> None:
    trace = trace_of(tmp_path, program, bad=4, whole=4)
    first = trace.why().origins[0]
    assert (first.cause, first.view.step) == ("root_of_negative", 4)


@pytest.mark.parametrize(
    ("program", "always", "once"),
    [
        (FUNCTIONS, {"x", "Mean", "mul_1/ReadVariableOp", "gradient_tape/mul_1/Mul_1"}, {"Sqrt", "mul", "add"}),
        (TORCH, {"aten::addmm", "aten::mean"}, {"aten::sqrt", "aten::add"}),
    ],
    ids=["functions", "torch"],
)
def test_what_matters_is_there_in_each_step(program: str, always: set[str], once: set[str], tmp_path: Path) -> None:
    trace = trace_of(tmp_path, program, bad=100, whole=10)
    asked = "select name, count(distinct execution) as times from tensors join sites using (site) group by all"
    times = {row["name"]: row["times"] for row in trace.sql(asked).to_pylist()}
    assert {name: times[name] for name in always} == dict.fromkeys(always, 6)
    assert {name: times[name] for name in once} == dict.fromkeys(once, 1)
    assert not trace.why().origins
