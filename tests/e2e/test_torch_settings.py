"""The causes of PyTorch programs in other settings than plain eager code: what `why` says of them stays the same.

All run in one process, each loss in each setting into a recording of its own.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tests import programs

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)
nn = torch.nn

HEAD = """
import sys, tensordbg, torch
from torch import nn
from typing import Any
torch.set_num_threads(1)
"""


def log_of_a_softmax(w: Any, x: Any) -> Any:
    return -torch.log(torch.softmax(x @ w * 400, -1)).mean()


def ratio_of_zeros(w: Any, x: Any) -> Any:
    z = torch.relu(x @ w - 100)
    return (z / z.sum(-1, keepdim=True)).sum()


def root_below_zero(w: Any, x: Any) -> Any:
    return torch.rsqrt(x @ w - 50).sum()


def exponentials(w: Any, x: Any) -> Any:
    e = torch.exp(x @ w * 1000)
    return (e / e.sum(-1, keepdim=True)).sum()


def mask_of_infinities(w: Any, x: Any) -> Any:
    h = x @ w
    return (h.masked_fill(h > 0, float("-inf")) * (h <= 0)).sum()


LOSSES = {
    log_of_a_softmax: "log_of_zero",
    ratio_of_zeros: "division_by_zero",
    root_below_zero: "root_of_negative",
    exponentials: "exp_overflow",
    mask_of_infinities: "zero_times_inf",
}


def plain(f: Any, w: Any, x: Any) -> None:
    print(f(w, x).backward(), w.grad.sum().item())


def double(f: Any, w: Any, x: Any) -> None:
    plain(f, nn.Parameter(w.detach().double()), x.double())


def autocast(f: Any, w: Any, x: Any) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = f(w, x)
    loss.backward()
    print(loss.item())


def compiled(f: Any, w: Any, x: Any) -> None:
    plain(torch.compile(f), w, x)


def compiled_for_eager(f: Any, w: Any, x: Any) -> None:
    plain(torch.compile(f, backend="aot_eager"), w, x)


def vmap(f: Any, w: Any, x: Any) -> None:
    torch.func.vmap(f, in_dims=(None, 0))(w, torch.stack([x, x + 1])).sum().backward()
    print(w.grad.sum().item())


def slopes(f: Any, w: Any, x: Any) -> None:
    slope, loss = torch.func.grad_and_value(f)(w.detach(), x)
    print(slope.sum().item(), loss.item())


def slopes_of_each(f: Any, w: Any, x: Any) -> None:
    print(torch.func.vmap(torch.func.grad(f), in_dims=(None, 0))(w.detach(), torch.stack([x, x + 1])).sum().item())


def checkpoint(f: Any, w: Any, x: Any) -> None:
    from torch.utils.checkpoint import checkpoint

    plain(lambda *given: checkpoint(f, *given, use_reentrant=False), w, x)


def old_checkpoint(f: Any, w: Any, x: Any) -> None:
    from torch.utils.checkpoint import checkpoint

    plain(lambda *given: checkpoint(f, *given, use_reentrant=True), w, x)


class Holding(nn.Module):
    def __init__(self, f: Any, w: Any) -> None:
        super().__init__()
        self.f, self.w = f, w

    def forward(self, x: Any) -> Any:
        return self.f(self.w, x)


def data_parallel(f: Any, w: Any, x: Any) -> None:
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}/group", rank=0, world_size=1)
    model = nn.parallel.DistributedDataParallel(Holding(f, w))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).backward()
    optimizer.step()
    print(w.sum().item())


SETTINGS: list[Callable[[Any, Any, Any], None]] = [
    *(plain, double, autocast, compiled, compiled_for_eager, vmap, slopes, slopes_of_each),
    *(checkpoint, old_checkpoint, data_parallel),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("settings")
    texts = [HEAD, *(textwrap.dedent(inspect.getsource(each)) for each in [*LOSSES, Holding, *SETTINGS])]
    losses, settings = (", ".join(each.__name__ for each in several) for several in (LOSSES, SETTINGS))
    texts.append(f"for setting in ({settings}):\n    for loss in ({losses}):\n")
    texts.append("        torch.manual_seed(0)\n        w, x = nn.Parameter(torch.randn(8, 8)), torch.randn(4, 8)\n")
    texts.append("        with tensordbg.record(f'{sys.argv[1]}/{setting.__name__}-{loss.__name__}'):\n")
    texts.append("            setting(loss, w, x)\n")
    (found / "programs.py").write_text("\n".join(texts))
    done = programs.run(
        [sys.executable, str(found / "programs.py"), str(found)],
        capture_output=True, check=False, text=True, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return found


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.__name__)
def test_the_cause_and_the_line_are_those_of_eager_code(folder: Path, setting: Any, loss: Any) -> None:
    found = [told(folder / f"{each.__name__}-{loss.__name__}") for each in (setting, plain)]
    assert found[0] == found[1]
    assert found[0][0] == LOSSES[loss]


def told(trace: Path) -> tuple[str, int]:
    origin = next(each for each in tensordbg.open(trace).why().origins if each.consequential)
    assert origin.place is not None
    return origin.cause, origin.place.line
