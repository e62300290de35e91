from __future__ import annotations

import pytest

from tensordbg.backends.torch.replay.gpu_operations import EQUIVALENTS, laid_out

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


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
