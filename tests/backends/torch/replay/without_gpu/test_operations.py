"""Compares what takes the place of a GPU's kernels with a processor's, and with a step captured on an H200.

That step is in `captured_on_a_gpu`, where `step.py` says how it was made (with PyTorch 2.11).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tensordbg
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.backends.torch.replay.without_gpu.operations import EQUIVALENTS, laid_out
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HERE = Path(__file__).parents[1] / "captured_on_a_gpu"


def test_pytorch_has_each_of_them_for_a_gpu_alone() -> None:
    """A name that is gone takes no place any more; one that a processor has needs none."""
    for name in EQUIVALENTS:
        assert not torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU"), name
        assert getattr(torch.ops.aten, name.removeprefix("aten::")).default._schema.name == name


def test_a_batch_normalization_and_its_gradient() -> None:
    torch.manual_seed(0)
    inputs, weight, bias = torch.randn(6, 3, 4, 4), torch.randn(3), torch.randn(3)
    mean, variance = torch.zeros(3), torch.ones(3)
    given = {"input": inputs, "weight": weight, "bias": bias, "running_mean": mean, "running_var": variance}
    settings = {"training": True, "exponential_average_factor": 0.1, "epsilon": 1e-5}
    result, *saved = EQUIVALENTS["aten::cudnn_batch_norm"](given | settings)
    tensors = [each.clone().requires_grad_() for each in (inputs, weight, bias)]
    own = torch.zeros(3), torch.ones(3)
    wanted = torch.nn.functional.batch_norm(tensors[0], *own, tensors[1], tensors[2], training=True, momentum=0.1)
    torch.testing.assert_close([result, mean, variance], [wanted, *own])
    gradient = torch.randn_like(wanted)
    told = given | {"grad_output": gradient, "save_mean": saved[0], "save_var": saved[1], "epsilon": 1e-5}
    found = list(EQUIVALENTS["aten::cudnn_batch_norm_backward"](told))
    torch.testing.assert_close(found, list(torch.autograd.grad(wanted, tensors, gradient)))


def test_results_lie_as_they_are_wanted() -> None:
    apart = torch.empty_strided((2, 3), (1, 2))
    sums, seed, rest = torch.empty(2, 32), torch.empty(2, dtype=torch.uint64), torch.ones(4)
    values = [torch.arange(6.0).reshape(2, 3), torch.ones(2, 5), torch.tensor(7)]
    laid = list(laid_out(values, [apart, sums, seed, rest]))
    assert torch.equal(laid[0], values[0])
    assert laid[0].stride() == (1, 2)
    assert laid[1].sum() == 10
    assert laid[2].tolist() == [7, 7]
    assert laid[3].tolist() == [0] * 4


def replayer(*changes: str) -> Replayer:
    return Replayer(open_capture(HERE / "Net-1"), ReplayPlan(str(HERE / "Net-1"), changes=changes))


def test_a_step_computes_what_the_gpu_computed() -> None:
    step = replayer("set labels=0.5")
    norms = {each.name: each.norm for each in step.run(step.arguments)}
    wanted = json.loads((HERE / "norms.json").read_text())
    assert len(wanted) == 31
    # Attention was computed in half precision, and cuDNN rounds to TF32.
    assert norms == pytest.approx(wanted, rel=5e-3, abs=1e-6)


def test_a_step_goes_wrong_again_at_the_same_line(tmp_path: Path) -> None:
    step = replayer()
    with tensordbg.record(tmp_path):
        said = compare(open_capture(HERE / "Net-1").header.trouble, step.run(step.arguments))
    assert said in {Outcome.SAME, Outcome.ALIKE}
    (note,) = step.notes
    assert note.endswith("where PyTorch sees no GPU: last bits of its numbers may be others")
    (trace,) = tmp_path.iterdir()
    (origin,) = tensordbg.open(trace).why().origins
    assert origin.view.tensor == "labels:0"
    assert (origin.source.file, origin.source.line) == ("/me/step.py", 55)
