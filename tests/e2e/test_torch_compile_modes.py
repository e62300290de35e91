"""Every way to compile a PyTorch program gives the same numbers to the bit with and without recording."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tests.e2e.test_torch import run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TRAINING = """
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.3), nn.Linear(16, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", enabled=SCALED)
    forward = torch.compile(model, MODE)
    step = torch.compile(optimizer.step) if OPTIMIZER else lambda: scaler.step(optimizer)
    for size in SIZES:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=SCALED):
            loss = nn.functional.cross_entropy(forward(torch.randn(size, 8)), torch.randint(0, 4, (size,)))
        scaler.scale(loss).backward()
        step()
        scaler.update()
    print(loss.item().hex(), *(each.double().sum().item().hex() for each in model.state_dict().values()))
"""

WAYS = {
    "fullgraph": ("fullgraph=True", False, False, (16, 16)),
    "dynamic": ("dynamic=True", False, False, (16, 9)),
    "shapes that turn dynamic": ("", False, False, (16, 9, 5)),
    "reduce-overhead": ("mode='reduce-overhead'", False, False, (16, 16)),
    "max-autotune": ("mode='max-autotune'", False, False, (16, 16)),
    "aot_eager": ("backend='aot_eager'", False, False, (16, 16)),
    "a compiled optimizer": ("", False, True, (16, 16)),
    "autocast and a scaler": ("", True, False, (16, 16)),
}

OTHERS = {
    "cond": """
        a = nn.Linear(8, 4)
        @torch.compile
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: torch.tanh(a(x)), lambda x: torch.log(a(x).abs() + 1e-3), (x,))
        f(torch.randn(4, 8)).sum().backward()
        print(a.weight.grad.double().sum().item().hex())
    """,
    "while_loop": """
        from torch._higher_order_ops.while_loop import while_loop
        @torch.compile(fullgraph=True)
        def f(x):
            return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, torch.sin(x) * 1.5), (torch.tensor(0), x))
        number, x = f(torch.randn(4, 8))
        print(number.item(), x.double().sum().item().hex())
    """,
    "what is written in place, and lists": """
        total, rows = torch.zeros(8), [torch.full((5,), float(each)) for each in range(3)]
        @torch.compile
        def f(x):
            torch._foreach_mul_(rows, 1.1)
            total.add_(x.sum(0))
            x.mul_(2)
            return x[:2].relu() / total, torch.stack(torch._foreach_norm(rows))
        x = torch.ones(4, 8)
        for _ in range(2):
            print(*(each.double().sum().item().hex() for each in (*f(x), total, x, *rows)))
    """,
}


def same_to_the_bit(folder: Path, text: str) -> None:
    plain = run(folder, text, recorded=False)
    recorded = run(folder, text)
    assert (plain.returncode, recorded.returncode) == (0, 0), plain.stderr + recorded.stderr
    assert plain.stdout
    assert recorded.stdout == plain.stdout
    (trace,) = (folder / "traces").iterdir()
    found = tensordbg.why(trace)
    assert found.tensor_events > 0
    assert found.non_finite_events == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_training_is_the_same_to_the_bit(way: str, tmp_path: Path) -> None:
    mode, scaled, optimizer, sizes = WAYS[way]
    text = TRAINING.replace("MODE", mode).replace("SCALED", str(scaled)).replace("OPTIMIZER", str(optimizer))
    same_to_the_bit(tmp_path, text.replace("SIZES", str(sizes)))


@pytest.mark.parametrize("way", OTHERS)
def test_what_it_gives_is_the_same_to_the_bit(way: str, tmp_path: Path) -> None:
    same_to_the_bit(tmp_path, OTHERS[way])
