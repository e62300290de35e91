"""`tdbg diff` of eager code and what `torch.compile` makes of it: kernels keep most of what they compute."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.diff.result import FirstDifference
from tensordbg.analysis.diff.side import read_side
from tensordbg.analysis.diff.summarizing import summarize
from tensordbg.trace.reader import open_trace
from tensordbg.trace.summary import make_trace
from tests.e2e.test_torch import run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEALTHY, MASK, EPSILON = range(3)
"""The steps; the compiled program has something else in the last two."""

PROGRAM = """
    compiled = COMPILED

    def normalized(x, weights, epsilon):
        h = x @ weights
        return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + epsilon)) @ weights

    def chosen(x, weights, diagonal):
        scores = x[:, :5] * 0.3 + torch.full((5, 5), float("-inf")).triu(diagonal)
        return scores.softmax(-1) @ (x @ weights)

    torch.manual_seed(0)
    x, weights = (0.3 * torch.randn(shape) for shape in ((5, 8), (8, 8)))
    weights.requires_grad_()
    ends_steps = torch.optim.SGD([nn.Parameter(torch.ones(2))], 0.0)
    steps = (normalized, 1e-3), (chosen, 2 if compiled else 1), (normalized, 1e-2 if compiled else 2e-3)
    for run, setting in steps:
        (torch.compile(run, dynamic=False) if compiled else run)(x, weights, setting)
        ends_steps.step()
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folders = [tmp_path_factory.mktemp(name) for name in ("eager", "compiled")]
    for folder, compiled in zip(folders, ("False", "True"), strict=True):
        done = run(folder, PROGRAM.replace("COMPILED", compiled))
        assert done.returncode == 0, done.stderr
    return folders[0] / "traces", folders[1] / "traces"


def first(runs: tuple[Path, Path], step: int) -> FirstDifference:
    found = tensordbg.diff(*runs, step=step).first
    assert found is not None
    return found


def test_healthy_twins_are_the_same(runs: tuple[Path, Path]) -> None:
    result = tensordbg.diff(*runs, step=HEALTHY)
    assert result.status == "same", result.first


def test_a_summary_knows_what_kernels_keep_to_themselves(runs: tuple[Path, Path], tmp_path: Path) -> None:
    (trace,) = runs[1].iterdir()
    whole = open_trace(trace)
    make_trace(summarize(whole, "program"), tmp_path)
    kinds = [read_side(each).fused_kinds.tolist() for each in (whole, open_trace(tmp_path))]
    assert kinds[0]
    assert kinds[1] == kinds[0]


def test_masks_are_told_by_the_zeros_of_the_softmax(runs: tuple[Path, Path]) -> None:
    explanation = first(runs, MASK).explanation
    assert explanation == "of the 25 results of the softmax 10 are 0 in A and 6 in B: another mask"


def test_what_is_made_of_equal_random_numbers_is_a_result(runs: tuple[Path, Path]) -> None:
    found = tensordbg.diff(*runs).first
    assert found is not None
    assert found.b is not None
    assert found.b.view.step == MASK


def test_a_normalization_in_a_kernel_has_its_settings(runs: tuple[Path, Path]) -> None:
    found = first(runs, EPSILON)
    assert [(each.attribute, each.a, each.b) for each in found.difference] == [("epsilon", 2e-3, 1e-2)]
    assert found.added


DRAWN = """
    import torch._inductor.config as settings

    settings.fallback_random = FALLBACK
    torch.manual_seed(0)
    weights = nn.Parameter(torch.linspace(-1, 1, 12).reshape(4, 3))

    def step(x):
        return (x @ weights + torch.randn(5, 3)).square().mean()

    (torch.compile(step) if COMPILED else step)(torch.linspace(0, 1, 20).reshape(5, 4)).backward()
"""


def test_kernels_draw_other_numbers_by_the_same_seed_unless_pytorch_is_asked_for_the_same(tmp_path: Path) -> None:
    words = [("False", "False"), ("True", "False"), ("True", "True")]
    for number, (compiled, fallback) in enumerate(words):
        (tmp_path / str(number)).mkdir()
        done = run(tmp_path / str(number), DRAWN.replace("COMPILED", compiled).replace("FALLBACK", fallback))
        assert done.returncode == 0, done.stderr
    eager, compiled_run, as_eager = (tmp_path / str(number) / "traces" for number in range(3))
    found = tensordbg.diff(eager, compiled_run).first
    assert found is not None
    assert found.kind == "random"
    assert "`torch._inductor.config.fallback_random = True`" in found.suggestion
    assert tensordbg.diff(eager, as_eager).status == "same"


def test_no_seed_has_two_frameworks_draw_the_same(tmp_path: Path) -> None:
    import tensorflow as tf
    import torch

    given = [[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]]
    with tensordbg.record(tmp_path / "a"):
        torch.manual_seed(0)
        (torch.tensor(given) * 2 + torch.randn(2, 3)).square()
    with tensordbg.record(tmp_path / "b"):
        tf.random.set_seed(0)
        tf.square(tf.constant(given) * 2 + tf.random.normal([2, 3]))
    found = tensordbg.diff(tmp_path / "a", tmp_path / "b").first
    assert found is not None
    assert found.kind == "random"
    assert found.suggestion.endswith("hand both the same numbers: no seed has two frameworks draw the same")
