"""Where trouble begins, the elements of the bad tensor and of what it was made from are kept, with no option given."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.trace.reader import open_trace
from tests import programs
from tests.cli.conftest import COMMAND

GRAPH = """\
import tensorflow as tf

@tf.function
def step(x):
    ratio = tf.constant([1.0, 2.0, 3.0]) / tf.abs(x)
    return tf.reduce_sum(ratio)

for last in (3.0, 2.0, 0.0, 0.0, 0.0):
    step(tf.constant([1.0, 2.0, last]))
"""

EAGER = """\
import torch

for last in (3.0, 2.0, 0.0, 0.0, 0.0):
    x = torch.tensor([1.0, 2.0, last]) * 1.0
    ratio = torch.tensor([1.0, 2.0, 3.0]) / x
    ratio.sum()
"""

EAGER_TENSORFLOW = """\
import tensorflow as tf

for last in (3.0, 2.0, 0.0, 0.0, 0.0):
    x = tf.constant([1.0, 2.0, last]) * 1.0
    ratio = tf.constant([1.0, 2.0, 3.0]) / x
    tf.reduce_sum(ratio)
"""


def recorded(folder: Path, program: str, *options: str) -> tensordbg.Trace:
    programs.skip_without_what_it_imports(program)
    (folder / "program.py").write_text(program)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [*COMMAND, "run", *options, "--trace", str(folder / "trace"), "program.py"]
    programs.run(command, cwd=folder, env=environment, capture_output=True, check=True, text=True)
    return tensordbg.open(folder / "trace")


@pytest.mark.parametrize("program", [GRAPH, EAGER, EAGER_TENSORFLOW], ids=["graph", "torch", "eager"])
def test_the_origin_and_its_divisor_are_at_hand(tmp_path: Path, program: str) -> None:
    trace = recorded(tmp_path, program)
    origin = trace.why().origins[0].view
    reader = open_trace(tmp_path / "trace")
    assert reader.value(origin.event).tolist() == [1.0, 1.0, np.inf]
    divisors = "select event from tensors where zero = 1 and value_position is not null and event < {}"
    (divisor,) = trace.sql(divisors.format(origin.event)).to_pylist()[-1:]
    assert reader.value(divisor["event"]).tolist() == [1.0, 2.0, 0.0]
    # Two of each operation, however often it goes wrong; nothing of what was fine.
    fine = "select count(*) as n from tensors where value_position is not null and first_bad < 0 and zero = 0"
    assert trace.sql(fine).to_pylist() == [{"n": 0}]
    of_each = "select count(*) as n from tensors where value_position is not null group by site"
    assert max(row["n"] for row in trace.sql(of_each).to_pylist()) <= 2


def test_who_chooses_values_gets_no_others(tmp_path: Path) -> None:
    trace = recorded(tmp_path, GRAPH, "--detail", "values", "--values-op-type", "Sum")
    sites = "select distinct op_type from tensors t join sites s using (site) where value_position is not null"
    assert trace.sql(sites).to_pylist() == [{"op_type": "Sum"}]


LAYOUTS = """\
import numpy as np
import torch

small = torch.tensor([[1.0, 2.0], [0.0, 4.0]]).t().log()
transposed = torch.arange(600.0).reshape(20, 30).t().log()
permuted = torch.arange(720.0).reshape(6, 10, 12).permute(2, 0, 1).log()
channels = torch.arange(480.0).reshape(2, 3, 8, 10).contiguous(memory_format=torch.channels_last).log()
strided = torch.arange(1200.0).reshape(30, 40)[:, ::2].log()
for name, bad in (*globals().items(),):
    if isinstance(bad, torch.Tensor):
        np.save(name, bad.numpy())
"""


def test_elements_are_in_order_however_they_lie_in_memory(tmp_path: Path) -> None:
    trace = recorded(tmp_path, LAYOUTS)
    bad = "select event, first_bad from tensors t join sites s using (site) where op_type = 'aten::log' order by event"
    found = trace.sql(bad).to_pylist()
    wanted = [np.load(tmp_path / f"{name}.npy") for name in ("small", "transposed", "permuted", "channels", "strided")]
    reader = open_trace(tmp_path / "trace")
    for row, array in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(reader.value(row["event"]), array)
        assert row["first_bad"] == np.flatnonzero(~np.isfinite(array))[0]
