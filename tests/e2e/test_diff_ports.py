"""`tdbg diff` on ports of Keras models to PyTorch modules: right ones, and each with a mistake that people make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.analysis.diff.compare import Asked, compare
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tests.e2e.twins.comparing import compared, first, recorded
from tests.e2e.twins.numbers import PORTS

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which each port has a folder with its trace."""
    yield from recorded(tmp_path_factory.mktemp("ports"), "of_keras", "of_modules")


@pytest.mark.parametrize("model", PORTS)
@pytest.mark.parametrize(("a", "b"), [("keras", "modules"), ("keras", "compiled"), ("modules", "compiled")])
def test_right_ports_are_the_same(runs: Path, model: str, a: str, b: str) -> None:
    result = compared(runs, f"{model}-{a}", f"{model}-{b}")
    assert (result.status, result.first) == ("same", None)
    trained = [pair for pair in result.parameters if pair.status != "only_b"]
    assert len(trained) >= 5
    assert {pair.status for pair in trained} <= {"equal", "transposed"}


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize(
    ("a", "b"),
    [("convnet-keras", "convnet-modules"), ("convnet-keras", "convnet-compiled"), ("resnet-keras", "resnet-compiled"),
     ("encoder-keras", "encoder-modules"), ("encoder-keras", "encoder-compiled"),
     ("recurrent-keras", "recurrent-compiled"), ("tower-keras", "tower-modules"), ("tower-keras", "tower-compiled")],
)  # fmt: skip
def test_right_ports_are_the_same_in_each_step(runs: Path, a: str, b: str, step: int) -> None:
    traces = (open_trace(find_run(runs / each).only().folder) for each in (a, b))
    result = compare(*traces, Asked(step=step))
    assert (result.status, result.first) == ("same", None)


WRONG = {
    ("convnet", "epsilon"): ("value", "self.norm"),
    ("convnet", "slope"): ("value", "self.act"),
    ("convnet", "padding"): ("value missing", "self.second"),
    ("convnet", "average"): ("value", "F.avg_pool2d"),
    ("convnet", "swapped"): ("value", "self.first"),
    ("convnet", "rate"): ("update", "optimizer.step()"),
    ("resnet", "residual"): ("missing", "F.relu"),
    ("resnet", "early"): ("missing", "F.relu"),
    ("resnet", "evaluation"): ("value missing", "self.na"),
    ("encoder", "epsilon"): ("value", "self.norm1"),
    ("encoder", "approximation"): ("value", "F.gelu"),
    ("encoder", "repeated"): ("value missing", "scores = q @ k"),
    ("encoder", "unscaled"): ("missing", "scores.softmax"),
    ("encoder", "dropout"): ("random", "F.dropout"),
    ("encoder", "last"): ("missing", "self.head"),
    ("recurrent", "forget"): ("parameter", ""),
    ("recurrent", "order"): ("value", "self.lstm"),
    ("recurrent", "biases"): ("update", "optimizer.step()"),
    ("tower", "adam"): ("update", "optimizer.step()"),
    ("tower", "rate"): ("update", "optimizer.step()"),
    ("tower", "broadcast"): ("shape", "losses * "),
}
"""By model and mistake the kinds that fit, and words of a line that is named in B."""


@pytest.mark.parametrize(("model", "wrong"), WRONG)
@pytest.mark.parametrize("reference", ["keras", "modules"])
def test_the_mistake_of_a_port_is_found(runs: Path, model: str, wrong: str, reference: str) -> None:
    found = first(runs, f"{model}-{reference}", f"{model}-{wrong}")
    kinds, words = WRONG[model, wrong]
    lines = [each.source.text for each in (found.b, *found.only) if each is not None and each.source is not None]
    assert found.kind in kinds.split(), found.explanation
    assert any(words in line for line in lines), lines


@pytest.mark.parametrize("reference", ["keras", "modules"])
@pytest.mark.parametrize(
    ("port", "attribute", "of_a", "of_b"),
    [("convnet-epsilon", "epsilon", 1e-3, 1e-5), ("convnet-slope", "slope", 0.3, 0.01),
     ("encoder-epsilon", "epsilon", 1e-3, 1e-5)],
)  # fmt: skip
def test_the_setting_is_named(runs: Path, reference: str, port: str, attribute: str, of_a: float, of_b: float) -> None:
    (told,) = first(runs, f"{port.partition('-')[0]}-{reference}", port).difference
    assert (told.attribute, told.a, told.b) == (attribute, of_a, of_b)


def test_settings_that_are_words_or_lists_are_named_within_one_framework(runs: Path) -> None:
    (told,) = first(runs, "encoder-modules", "encoder-approximation").difference
    assert (told.attribute, told.a, told.b) == ("approximate", "none", "tanh")
    (told,) = first(runs, "resnet-modules", "resnet-evaluation").difference
    assert (told.attribute, told.a, told.b) == ("training", True, False)


def test_the_momentum_of_running_statistics_is_told_as_an_update_where_it_can_be_compared(runs: Path) -> None:
    found = first(runs, "convnet-modules", "convnet-momentum")
    assert found.kind == "update"
    assert [(told.attribute, told.a, told.b) for told in found.difference] == [("momentum", 0.01, 0.1)]
    assert compared(runs, "convnet-keras", "convnet-momentum").status == "same"  # another formula for the variance


def test_unlike_shapes_are_told_with_what_goes_in(runs: Path) -> None:
    found = first(runs, "tower-keras", "tower-broadcast")
    assert "[8]" in found.explanation
    assert "[8, 8]" in found.explanation
