"""`tdbg run --check` with PyTorch programs that `torch.compile` compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_torch_check import line_of, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

ROOT = """
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(8))
        def forward(self, x):
            power = x.pow(2).mean(-1, keepdim=True)
            return self.weight * x * torch.rsqrt(power)

    model = nn.Sequential(nn.Embedding(20, 8, padding_idx=0), Scaled(), nn.Linear(8, 20))
    fast = torch.compile(model, fullgraph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        ids = torch.randint(1, 20, (2, 5))
        if step == 2:
            ids[1, 4] = 0
        loss = nn.functional.cross_entropy(fast(ids).flatten(0, 1), ids.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step)
"""

SLOPE = """
    layer = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    @torch.compile
    def loss_of(a, b):
        gap = torch.tanh(layer(a)) - torch.tanh(layer(b))
        return torch.sqrt(gap.pow(2).sum(-1)).mean()
    for step in range(3):
        a, b = torch.randn(6, 4), torch.randn(6, 4)
        if step == 2:
            b[3] = a[3]
        optimizer.zero_grad()
        loss_of(a, b).backward()
        optimizer.step()
        print(step)
"""

MEANT = """
    @torch.compile
    def attend(q, k, v, keep):
        scores = (q @ k.transpose(-2, -1)).masked_fill(~keep, float("-inf"))
        return torch.softmax(scores, -1) @ v

    @torch.compile
    def entropy(p):
        return -torch.where(p > 0, p * torch.log(p), 0.0).sum(-1)

    @torch.compile
    def shifted(scores, bias):
        return (scores + bias).amax(-1), (scores + bias).logsumexp(-1)

    for step in range(2):
        q, k, v = torch.randn(3, 2, 6, 4).unbind(0)
        y = attend(q, k, v, torch.ones(6, 6, dtype=torch.bool).tril())
        e = entropy(torch.softmax(y * 300, -1))
        bias = torch.full((6, 6), float("-inf")).triu(1)
        most, total = shifted(q @ k.transpose(-2, -1), bias)
        print(y.sum().item(), e.sum().item(), most.sum().item(), total.sum().item())
"""

IN_PLACE = """
    model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 2))
    model.compile()
    for step in range(3):
        x = torch.randn(4, 6) * (3e5 if step == 2 else 1.0)
        with torch.autocast("cpu", dtype=torch.float16):
            y = model(x)
        print(step)
"""

OWN = """
    calls = []
    @torch.library.custom_op("mine::scaled", mutates_args=())
    def scaled(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x / x.sum()
    @scaled.register_fake
    def _(x):
        return torch.empty_like(x)
    @torch.compile
    def f(x):
        return torch.exp(scaled(x.cos() - x.cos()) + 1.0).sum()
    try:
        f(torch.randn(5))
    finally:
        print("calls", len(calls))
"""


def test_the_operation_within_a_kernel_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, ROOT)
    assert done.returncode == 1
    assert done.stdout.split() == ["0", "1"]
    assert 'op "aten::rsqrt"' in done.stderr
    assert f"train.py (L{line_of(ROOT, 'torch.rsqrt')}) forward" in done.stderr
    assert "Input tensor: tensor of float32[2, 5, 1]" in done.stderr
    assert "1 zero" in done.stderr
    assert "It was computed inside a kernel of torch.compile" in done.stderr
    assert "/tensordbg/" not in done.stderr


def test_a_gradient_is_told_by_its_forward_line(tmp_path: Path) -> None:
    done = run(tmp_path, SLOPE)
    assert done.returncode == 1
    assert done.stdout.split() == ["0", "1"]
    last = done.stderr[done.stderr.index("\ntdbg: ") :]
    assert f"train.py (L{line_of(SLOPE, 'torch.sqrt')}) loss_of" in last


def test_infinities_that_are_meant_pass_and_change_nothing(tmp_path: Path) -> None:
    checked = run(tmp_path, MEANT)
    assert checked.returncode == 0, checked.stderr
    plain = run(tmp_path, MEANT, checked=False)
    assert plain.returncode == 0, plain.stderr
    assert checked.stdout == plain.stdout


def test_the_check_is_not_compiled_itself(tmp_path: Path) -> None:
    done = run(tmp_path, IN_PLACE)
    assert done.returncode == 1
    assert "checking stopped" not in done.stderr
    assert done.stdout.split() == ["0", "1"]
    assert 'op "aten::_to_copy"' in done.stderr


def test_an_operation_of_the_programs_own_runs_once(tmp_path: Path) -> None:
    done = run(tmp_path, OWN)
    assert done.returncode == 1
    assert done.stdout.split() == ["calls", "1"]
    assert 'op "aten::div"' in done.stderr
    assert f"train.py (L{line_of(OWN, 'x / x.sum()')}) scaled" in done.stderr
