"""The trap in code, with one optimizer after the other."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensordbg
import tensordbg.torch
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trapping.session import Trap

torch = pytest.importorskip("torch")
NAN = float("nan")


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Callable[..., Trap]]:
    made: list[Trap] = []

    def start(**options: Any) -> Trap:
        made.append(tensordbg.trap(tmp_path / "captures", **options))
        return made[-1]

    yield start
    for each in made:
        each.stop()


def model() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Linear(4, 1))


def step(net: Any, optimizer: Any, *, bad: bool = False, closure: bool = False) -> Any:
    x = torch.randn(6, 3)
    if bad:
        x[2, 1] = NAN

    def compute() -> Any:
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        return loss

    if closure:
        return optimizer.step(compute)
    compute()
    return optimizer.step()


def state(net: Any, optimizer: Any) -> list[Any]:
    kept = [each.clone() for each in net.state_dict().values()]
    return [*kept, *(each.clone() for of in optimizer.state.values() for each in of.values() if torch.is_tensor(each))]


OPTIMIZERS = {
    "SGD": lambda given: torch.optim.SGD(given, lr=0.1, momentum=0.9, weight_decay=0.1),
    "Adam": lambda given: torch.optim.Adam(given, foreach=True),
    "AdamW": lambda given: torch.optim.AdamW(given, fused=True),
    "RMSprop": torch.optim.RMSprop,
    "LBFGS": lambda given: torch.optim.LBFGS(given, max_iter=2),
}


@pytest.mark.parametrize("closure", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("on_bad", ["stop", "skip"])
def test_a_bad_step_writes_nothing(trap: Callable[..., Trap], name: str, closure: bool, on_bad: str) -> None:
    if name == "LBFGS" and not closure:
        pytest.skip("it takes a closure")
    net = model()
    optimizer = OPTIMIZERS[name](net.parameters())
    trapped = trap(on_bad=on_bad)
    step(net, optimizer, closure=closure)
    before = state(net, optimizer)
    if on_bad == "stop":
        with pytest.raises(tensordbg.torch.BadStepError, match="step 1 of Sequential: the loss is not finite"):
            step(net, optimizer, bad=True, closure=closure)
    else:
        step(net, optimizer, bad=True, closure=closure)
        assert net[0].weight.grad.isnan().any()
    now = state(net, optimizer)
    if name != "LBFGS":  # it counts how often it was asked
        assert all(torch.equal(a, b) for a, b in zip(before, now, strict=True))
    assert all(bool(each.isfinite().all()) for each in net.state_dict().values())
    assert len(trapped.captures) == 1


@pytest.mark.parametrize("rate", [NAN, float("inf"), torch.tensor(NAN)])
def test_a_learning_rate_that_is_not_finite_ruins_no_step(trap: Callable[..., Trap], rate: Any) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    trapped = trap()
    step(net, optimizer)
    optimizer.param_groups[0]["lr"] = rate
    with pytest.raises(tensordbg.torch.BadStepError, match="step 1 of Sequential: the learning rate is not finite"):
        step(net, optimizer)
    assert all(bool(each.isfinite().all()) for each in net.state_dict().values())
    capture = open_capture(trapped.captures[0])
    trapped.stop()
    replayer = Replayer(capture, ReplayPlan(str(capture.path)))
    assert compare(capture.header.trouble, replayer.run(replayer.arguments)) is Outcome.SAME


def test_recording_lets_the_step_be(trap: Callable[..., Trap]) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    trapped = trap(on_bad="record", most=1)
    step(net, optimizer, bad=True)
    step(net, optimizer)
    assert net[0].weight.isnan().any()
    assert len(trapped.captures) == 1


def test_rules_beside_finite_numbers(trap: Callable[..., Trap]) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    trap(gradient_norm=1e-6)
    with pytest.raises(tensordbg.torch.BadStepError, match=r"the gradients have the norm .*, more than the limit"):
        step(net, optimizer)
    trapped = trap(predicate=lambda reading: reading.step == 1)
    step(net, optimizer)
    with pytest.raises(tensordbg.torch.BadStepError, match="the predicate says so"):
        step(net, optimizer)
    assert open_capture(trapped.captures[0]).header.trouble.kind == "predicate"


def test_an_overflow_that_a_scaler_catches_is_none(trap: Callable[..., Trap]) -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
    trapped = trap()
    for _ in range(3):
        optimizer.zero_grad()
        scaler.scale((weight.half() * 30).float().sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert not trapped.captures


def test_it_ends(trap: Callable[..., Trap]) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    plain = torch.autograd.backward
    trap().stop()
    assert torch.autograd.backward is plain
    step(net, optimizer, bad=True)


def test_what_there_is_not_is_told_when_it_matters(
    trap: Callable[..., Trap], capsys: pytest.CaptureFixture[str]
) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    trap(keep=1000)
    assert not capsys.readouterr().err
    step(net, optimizer)
    step(net, optimizer)
    assert capsys.readouterr().err.splitlines() == [
        "tdbg: warning: variables are looked at in TensorFlow only, so --keep changes nothing for PyTorch"
    ]


def test_a_step_behind_an_optimizer_that_raised_is_noted(trap: Callable[..., Trap]) -> None:
    class Raising(torch.optim.SGD):  # type: ignore[misc]
        raises = True

        def step(self, closure: Any = None) -> Any:
            if self.raises:
                raise RuntimeError("once")
            return super().step(closure)

    net = model()
    optimizer = Raising(net.parameters(), lr=0.1)
    trapped = trap(on_bad="record")
    with pytest.raises(RuntimeError, match="once"):
        step(net, optimizer)
    optimizer.raises = False
    step(net, optimizer, bad=True)
    graph = json.loads((trapped.captures[0] / "graph.json").read_text())
    assert [each["name"] for each in graph["operations"]].count("aten::native_batch_norm") == 2, (
        "of both forward passes"
    )


def test_dynamo_leaves_us_out_of_a_backward_pass_in_compiled_code(trap: Callable[..., Trap]) -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def train(x: Any) -> Any:
        loss = net(x).mean()
        loss.backward()
        return loss

    trapped = trap(on_bad="skip")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for factor in (1.0, 2.0, math.inf):
            optimizer.zero_grad()
            train(torch.randn(4, 3) * factor)
            optimizer.step()
    assert len(trapped.captures) == 1
    assert [str(each.message) for each in told if "tensordbg" in f"{each.filename} {each.message}"] == []
