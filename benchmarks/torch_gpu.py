"""What it costs to watch a PyTorch program on a GPU, next to the plain one, by the clock.

Blocks of plain and watched steps alternate in one process, and the median of their paired ratios is what counts; the
GPU is waited for at the end of each block. Without a GPU there is nothing to time.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from torch_recording import ANOMALY, CHECK, TRAP, timed, watching

RESULTS = Path(__file__).parent / "results"
PROGRAMS = ("transformer", "convolution", "mlp")
CONTENDERS = ("health", "compiled, health", CHECK, TRAP, ANOMALY)
SECONDS = 10.0
"""So long each pair of contenders is timed."""
WARM = 3
BLOCK = 0.4
"""So many seconds of plain steps make a block."""


def transformer() -> tuple[Any, Callable[[], Any]]:
    """Twelve layers as wide as GPT-2's smallest, bfloat16 by autocast, 16 texts of 512 tokens."""
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
    model = nn.Sequential(nn.Embedding(8192, 768), nn.TransformerEncoder(layer, 12), nn.Linear(768, 8192)).cuda()
    tokens = torch.randint(0, 8192, (16, 512), device="cuda")

    def loss() -> Any:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())

    return model, loss


def convolution() -> tuple[Any, Callable[[], Any]]:
    """Sixteen residual blocks with batch normalization, 64 pictures of 112 pixels, bfloat16 by autocast."""
    import torch
    from torch import nn

    class Residual(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            half = width // 2
            self.inner = nn.Sequential(
                *(nn.Conv2d(width, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU()),
                *(nn.Conv2d(half, half, 3, padding=1, bias=False), nn.BatchNorm2d(half), nn.ReLU()),
                *(nn.Conv2d(half, width, 1, bias=False), nn.BatchNorm2d(width)),
            )

        def forward(self, x: Any) -> Any:
            return nn.functional.relu(x + self.inner(x))

    stages: list[Any] = [nn.Conv2d(3, 64, 7, 2, 3)]
    for width in (64, 128, 256, 512):
        stages += [*(Residual(width) for _ in range(4)), nn.Conv2d(width, 2 * width, 3, 2, 1)]
    model = nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))
    model = model.cuda().to(memory_format=torch.channels_last)
    pictures = torch.randn(64, 3, 112, 112, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (64,), device="cuda")

    def loss() -> Any:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return nn.functional.cross_entropy(model(pictures), labels)

    return model, loss


def mlp() -> tuple[Any, Callable[[], Any]]:
    """Six layers of 64 in float32: the processor can't launch kernels as fast as the GPU runs them."""
    import torch
    from torch import nn

    model = nn.Sequential(*(each for _ in range(6) for each in (nn.Linear(64, 64), nn.ReLU())), nn.Linear(64, 1)).cuda()
    given = torch.randn(32, 64, device="cuda")
    return model, lambda: model(given).pow(2).mean()


def trained(loss: Callable[[], Any], model: Any) -> Callable[[], None]:
    """A step of AdamW."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def block(step: Callable[[], Any], count: int) -> float:
    """Seconds of a step, the mean of some, behind those in which a recording meets each operation first."""
    import torch

    for _ in range(WARM):
        step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count


def measure(program: str, contender: str) -> None:
    """Prints the ratios of one contender, in a process of its own."""
    import torch

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    model, loss = {"transformer": transformer, "convolution": convolution, "mlp": mlp}[program]()
    step = watched = trained(loss, model)
    with tempfile.TemporaryDirectory() as folder:
        if contender.startswith("compiled"):
            step, watched = trained(torch.compile(loss), model), trained(torch.compile(functools.partial(loss)), model)
            block(step, 2)
            with watching(contender, f"{folder}/compiling", model):
                block(watched, 2)
        plain = block(step, 3)
        count = max(2, int(BLOCK / plain))
        ratios: list[float] = []
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end or len(ratios) < 3:
            before = block(step, count)
            with watching(contender, f"{folder}/{len(ratios)}", model):
                seconds = block(watched, count)
            ratios.append(2 * seconds / (before + block(step, count)))
    print(json.dumps({"plain_ms": plain * 1e3, "ratios": ratios}))


def main() -> None:
    """Times all contenders, prints the table and keeps it."""
    if len(sys.argv) > 2:
        return measure(sys.argv[1], sys.argv[2])
    with contextlib.suppress(ImportError):
        import torch

        if torch.cuda.is_available():
            RESULTS.mkdir(exist_ok=True)
            title = f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, times plain\n"
            table = "\n".join(timed(__file__, PROGRAMS, CONTENDERS))
            (RESULTS / "torch_gpu.txt").write_text(f"{title}{table}\n")
            return None
    print("there is no GPU here that PyTorch can use: what watching costs there is not timed")
    return None


if __name__ == "__main__":
    main()
