"""`tdbg diff` on twins: four models in TensorFlow and in PyTorch, equal, and each with one thing changed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import tensordbg
from tests import programs
from tests.e2e.twins.comparing import compared, first, recorded
from tests.programs import TDBG

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

MODELS = ("mlp", "cnn", "transformer", "lstm")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which each twin has a folder with its trace."""
    yield from recorded(tmp_path_factory.mktemp("twins"), "of_tensorflow", "of_torch")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("a", "b"), [("function", "eager"), ("function", "torch"), ("torch", "function"), ("eager", "torch")]
)
def test_healthy_twins_are_the_same(runs: Path, model: str, a: str, b: str) -> None:
    result = compared(runs, f"{model}-{a}", f"{model}-{b}")
    assert (result.status, result.first) == ("same", None)
    assert result.matched > 60
    assert {pair.status for pair in result.parameters if pair.error is not None} == {"equal"}
    assert all(each.error < 1e-4 for each in result.steps)


def test_a_fused_attention_is_no_difference(runs: Path) -> None:
    result = compared(runs, "transformer-torch", "transformer-fused")
    assert result.status == "same"
    assert result.unmatched_a > 0  # what the fused operation does not show


@pytest.mark.parametrize("reference", ["torch", "function"])
def test_a_scaled_loss_is_no_difference(runs: Path, reference: str) -> None:
    assert compared(runs, f"mlp-{reference}", "mlp-scaled").status == "same"


@pytest.mark.parametrize("model", MODELS)
def test_half_precision_alone_is_no_difference(runs: Path, model: str) -> None:
    result = compared(runs, f"{model}-torch", f"{model}-bfloat16")
    assert (result.status, result.first) == ("same", None)
    assert 1e-5 < max(each.error for each in result.steps) < 0.05


PLANTED = {
    ("mlp", "scale"): ("missing", "* 0.9 if changed"),
    ("mlp", "clipping"): ("update", "clip_grad_norm_"),
    ("mlp", "decay"): ("update", "scaler.step(optimizer)"),
    ("cnn", "epsilon"): ("value", "F.batch_norm"),
    ("cnn", "pool"): ("value", "F.avg_pool2d"),
    ("cnn", "flatten"): ("value", '@ p["fc"]'),
    ("transformer", "unscaled"): ("value", "masked_fill"),
    ("transformer", "unmasked"): ("missing", "torch.softmax"),
    ("transformer", "axis"): ("value", "torch.softmax"),
    ("transformer", "epsilon"): ("value", "F.layer_norm"),
    ("transformer", "gelu"): ("value", "F.gelu"),
    ("transformer", "residual"): ("missing", '@ p["embedding"].T'),
    ("transformer", "transposed"): ("value", "h @ p[name]"),
    ("transformer", "dropout"): ("random", "F.dropout"),
    ("lstm", "gates"): ("value", "torch.sigmoid(f) * c"),
}
"""By model and change the kind of the difference, and words of a line that it names in B."""


@pytest.mark.parametrize(("model", "changed"), PLANTED)
@pytest.mark.parametrize("reference", ["torch", "function"])
def test_what_was_changed_is_found(runs: Path, model: str, changed: str, reference: str) -> None:
    found = first(runs, f"{model}-{reference}", f"{model}-{changed}")
    kind, words = PLANTED[model, changed]
    lines = [each.source.text for each in (found.b, *found.only) if each is not None and each.source is not None]
    assert found.kind == kind, found.explanation
    assert any(words in line for line in lines), lines
    assert found.added is True


@pytest.mark.parametrize("reference", ["torch", "function"])
@pytest.mark.parametrize("changed", ["smoothing", "reduction"])
def test_another_loss_is_found_at_the_loss(runs: Path, changed: str, reference: str) -> None:
    found = first(runs, f"mlp-{reference}", f"mlp-{changed}")
    assert found.b is not None
    assert found.b.source is not None
    assert found.b.view.step == 0
    assert any(words in found.b.source.text for words in ("F.cross_entropy", "backward()"))


def test_another_parameter_is_found_where_it_is_used(runs: Path) -> None:
    for reference in ("torch", "function"):
        result = compared(runs, f"transformer-{reference}", "transformer-parameter")
        assert result.first is not None
        assert (result.first.kind, result.first.added) == ("parameter", False)
        (pair,) = [pair for pair in result.parameters if pair.status == "differs"]
        assert pair.error == pytest.approx(0.0197, rel=0.01)  # of the sum of squares


@pytest.mark.parametrize("reference", ["torch", "function"])
def test_runs_that_have_nothing_in_common_are_not_the_same(runs: Path, reference: str) -> None:
    found = first(runs, f"mlp-{reference}", "mlp-everything")
    assert (found.kind, found.added) in {("parameter", False), ("input", False)}


def test_the_command(runs: Path) -> None:
    def said(*words: str) -> subprocess.CompletedProcess[str]:
        return programs.run([TDBG, "diff", *words], cwd=runs, capture_output=True, check=False, text=True)

    same = said("cnn-function", "cnn-torch")
    assert (same.returncode, same.stderr) == (0, "")
    assert same.stdout.startswith("The same: ")
    apart = said("cnn-function", "cnn-epsilon", "--json")
    told = json.loads(apart.stdout)
    assert apart.returncode == 1
    assert (told["format"], told["status"], told["first"]["kind"]) == (1, "diverged", "value")
    assert told["first"]["b"]["op_type"] == "aten::native_batch_norm"
    assert said("cnn-function", "nothing").returncode == 2


@pytest.mark.parametrize("reference", ["torch", "function"])
def test_the_error_can_be_followed_from_where_it_is_made(runs: Path, reference: str) -> None:
    import pandas as pd

    table = pd.DataFrame(compared(runs, f"transformer-{reference}", "transformer-epsilon").errors)
    first_step = table[(table.step == 0) & ~table.backward]
    made = first_step[first_step.state == "added"]
    # TensorFlow's operations have no value of the size of the deviations that PyTorch's gives as well.
    deviations = {"aten::native_layer_norm:2"} if reference == "torch" else set()
    assert set(made.b) == {"aten::native_layer_norm:0", *deviations}
    assert made.error.notna().all()
    behind = first_step[first_step.state == "inherited"]
    assert len(behind) > 5
    assert behind.event_b.min() > made.event_b.min()
    assert (table[table.step > 0].state != "added").all()


def test_the_chart_of_the_error_is_printed(runs: Path) -> None:
    words = [TDBG, "diff", "transformer-torch", "transformer-epsilon"]
    said = programs.run(words, cwd=runs, capture_output=True, check=False, text=True).stdout
    assert "error along the data flow, step 0" in said
    assert "█ made there" in said


def test_in_python(runs: Path) -> None:
    tensordbg.assert_same(runs / "mlp-function", runs / "mlp-torch")
    with pytest.raises(AssertionError, match="compute unlike values from equal ones"):
        tensordbg.assert_same(runs / "cnn-torch", runs / "cnn-epsilon")
