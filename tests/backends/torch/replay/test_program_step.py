from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tensordbg
from tensordbg.backends.torch.replay import program_step
from tensordbg.backends.torch.replay.program_step import meet_step
from tensordbg.backends.torch.trap.asked import AskedTrapping
from tensordbg.capture.outcome import Outcome, Reading, compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.errors import CaptureError
from tensordbg.replaying.program import ProgramReplay, Way
from tensordbg.trapping.plan import OnBad, TrapPlan
from tensordbg.trapping.rules import AskedRules

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional

Step = Callable[[Any, Any, int], None]


class Run:
    """As much of what runs a step as it takes to see how it came out."""

    def __init__(self) -> None:
        self.readings: tuple[Reading, ...] = ()
        self.ended = False

    def __call__(self, _call: Callable[[], object]) -> None:
        raise AssertionError

    @contextlib.contextmanager
    def span(self, _frame: FrameType) -> Iterator[None]:
        yield
        self.ended = True

    def tell(self, readings: tuple[Reading, ...]) -> None:
        self.readings = readings


def text(model: Any, optimizer: Any, rows: int) -> None:
    """A step whose labels are what comes in, shifted by one: both look at one memory."""
    tokens = torch.randint(0, 9, (rows, 6))
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    logits = model(inputs)
    loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def adding_to_the_last(model: Any, optimizer: Any, rows: int) -> None:
    """A step that adds to the gradients of the one before."""
    tokens, weight = torch.randint(0, 9, (rows,)), torch.rand(())
    (model(tokens).square().sum() * weight).backward()
    optimizer.step()


def made() -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(9, 8), nn.Dropout(0.3), nn.Linear(8, 9))
    return model, torch.optim.Adam(model.parameters(), lr=0.05)


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Has what is hooked into PyTorch taken out behind the test."""
    from torch.optim import optimizer as optimizers

    monkeypatch.setattr(nn.Module, "__call__", nn.Module.__call__)
    monkeypatch.setattr(torch.autograd, "backward", torch.autograd.backward)
    monkeypatch.setattr(program_step, "_NOT_COMPILED", ())
    before = (optimizers._global_optimizer_pre_hooks.copy(), optimizers._global_optimizer_post_hooks.copy())
    yield
    for hooks, known in zip(
        (optimizers._global_optimizer_pre_hooks, optimizers._global_optimizer_post_hooks), before, strict=True
    ):
        hooks.clear()
        hooks.update(known)


def captured(step: Step, folder: Path) -> Capture:
    """A capture of the third step, of two rows, whose numbers are all finite."""
    model, optimizer = made()
    trap = AskedTrapping(TrapPlan(folder, OnBad.RECORD, rules=AskedRules()))
    try:
        for number in range(3):
            if number == 2:
                trap.ask()
            step(model, optimizer, 2)
    finally:
        trap.stop()
    return open_capture(trap.captures[0])


@pytest.mark.usefixtures("hooks")
@pytest.mark.parametrize(
    ("step", "rows"),
    [(text, 2), (text, 3), (adding_to_the_last, 4)],
    ids=["text", "larger", "more"],
)
def test_the_first_step_of_the_program_comes_out_as_the_captured_one(
    step: Step, rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capture = captured(step, tmp_path)
    run = Run()
    meet_step(capture, ProgramReplay(str(capture.path), Way.RECORD), run)
    model, optimizer = made()
    torch.manual_seed(7)
    with pytest.raises(SystemExit):
        step(model, optimizer, rows)
    assert run.ended
    assert compare(capture.header.trouble, run.readings) is Outcome.SAME
    assert "no counterpart" not in capsys.readouterr().err
    assert next(iter(optimizer.state.values()))["step"] == 3


def players(judge: Any, generator: Any, optimizers: tuple[Any, Any]) -> None:
    """One round of two players of the same class, each with an optimizer of its own."""
    made = generator(torch.randn(5, 2))
    optimizers[0].zero_grad()
    (judge(torch.randn(5, 3)).square().mean() - judge(made.detach()).mean()).backward()
    optimizers[0].step()
    optimizers[1].zero_grad()
    judge(made).mean().backward()
    optimizers[1].step()


def two_players() -> tuple[Any, Any, tuple[Any, Any]]:
    torch.manual_seed(0)
    judge = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    generator = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
    return judge, generator, tuple(torch.optim.Adam(each.parameters(), lr=0.05) for each in (judge, generator))


@pytest.mark.usefixtures("hooks")
@pytest.mark.parametrize("of", [0, 1], ids=["judge", "generator"])
def test_the_step_of_one_of_two_players_comes_out_as_it_was(of: int, tmp_path: Path) -> None:
    game = two_players()
    trap = AskedTrapping(TrapPlan(tmp_path, OnBad.RECORD, rules=AskedRules()))
    try:
        players(*game)
        if of:
            game[2][0].register_step_post_hook(lambda *_: trap.ask())
        trap.ask()
        players(*game)
        players(*game)
    finally:
        trap.stop()
    capture = open_capture(trap.captures[-of])
    run = Run()
    meet_step(capture, ProgramReplay(str(capture.path), Way.RECORD), run)
    again = two_players()
    torch.manual_seed(7)
    if of:
        players(*again)  # the second step is met behind the first one
    with pytest.raises(SystemExit):
        players(*again)
    assert run.ended
    assert [each.role for each in run.readings].count("gradient") == 4
    assert compare(capture.header.trouble, run.readings) is Outcome.SAME


@pytest.mark.usefixtures("hooks")
def test_a_step_that_calls_no_module_is_refused(tmp_path: Path) -> None:
    weight = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with tensordbg.trap(tmp_path, on_bad="skip") as trap:
        torch.log(weight).sum().backward()
        optimizer.step()
    capture = open_capture(trap.captures[0])
    with pytest.raises(CaptureError, match="calls no module, so where it begins in its program can't be told"):
        meet_step(capture, ProgramReplay(str(capture.path), Way.RECORD), Run())
