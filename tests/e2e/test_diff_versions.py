"""`tdbg diff` of one program yesterday and today: what was only written otherwise, and what changed the numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(4)
BATCHES = [(_DRAWN.normal(size=(8, 6)).astype("float32"), _DRAWN.integers(0, 3, 8)) for _ in range(3)]


def network() -> Any:
    torch.manual_seed(0)
    parts = torch.nn.Linear(6, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 3)
    return torch.nn.Sequential(*parts)


def as_modules(net: Any, x: Any) -> Any:
    return net(x)


def in_functions(net: Any, x: Any) -> Any:
    hidden = F.layer_norm(F.linear(x, net[0].weight, net[0].bias), (8,), net[1].weight, net[1].bias, net[1].eps)
    return F.gelu(hidden) @ net[3].weight.T + net[3].bias


def normalized(correction: int) -> Callable[[Any, Any], Any]:
    def forward(net: Any, x: Any) -> Any:
        hidden = net[0](x)
        spread = hidden.var(-1, keepdim=True, correction=correction)
        hidden = (hidden - hidden.mean(-1, keepdim=True)) / torch.sqrt(spread + 1e-5)
        return net[3](F.gelu(hidden * net[1].weight + net[1].bias))

    return forward


def approximated(net: Any, x: Any) -> Any:
    return net[3](F.gelu(net[1](net[0](x)), approximate="tanh"))


def written_out(scores: Any, classes: Any) -> Any:
    return -(scores - scores.logsumexp(-1, keepdim=True)).gather(1, classes[:, None]).mean()


def smoothed(scores: Any, classes: Any) -> Any:
    return F.cross_entropy(scores, classes, label_smoothing=0.1)


def train(
    forward: Callable[[Any, Any], Any] = as_modules,
    loss_of: Callable[[Any, Any], Any] = F.cross_entropy,
    optimizer: Callable[[Any], Any] = lambda given: torch.optim.AdamW(given, 1e-2),
    clip: float = 0.0,
) -> Callable[[], None]:
    def program() -> None:
        net = network()
        steps = optimizer(net.parameters())
        for x, classes in BATCHES:
            steps.zero_grad()
            loss_of(forward(net, torch.tensor(x)), torch.tensor(classes)).backward()
            if clip:
                torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
            steps.step()

    return program


HARMLESS = {
    "functions": train(in_functions), "normalized": train(normalized(0)), "written out": train(loss_of=written_out),
    "one by one": train(optimizer=lambda given: torch.optim.AdamW(given, 1e-2, foreach=False)),
}  # fmt: skip
CHANGED = {
    "correction": (train(normalized(1)), ("correction", 0, 1)),
    "approximate": (train(approximated), ("approximate", "none", "tanh")),
    "smoothing": (train(loss_of=smoothed), ("label smoothing", 0.0, 0.1)),
    "optimizer": (train(optimizer=lambda given: torch.optim.Adam(given, 1e-2)), ("optimizer", "AdamW", "Adam")),
    "clipping": (train(clip=0.1), ("clipping", "none", "norm of all gradients up to 0.1")),
}


def recorded(folder: Path, program: Callable[[], None]) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


def test_yesterday_and_today(tmp_path: Path) -> None:
    yesterday = recorded(tmp_path / "yesterday", train())
    for name, program in HARMLESS.items():
        assert tensordbg.diff(yesterday, recorded(tmp_path / name, program)).status == "same", name
    for name, (program, change) in CHANGED.items():
        found = first(tensordbg.diff(yesterday, recorded(tmp_path / name, program)))
        assert told(found)[0] == change, (name, found.explanation)
