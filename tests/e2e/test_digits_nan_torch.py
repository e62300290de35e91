"""The main job in PyTorch: the example goes wrong by itself, and the report names the line, the zero and the fix."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits_nan_torch.py"
FIX = "torch.nn.functional.cross_entropy(logits, labels)"


def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return programs.run(command, capture_output=True, text=True, check=False, timeout=500)


def tdbg(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return ran("-m", "tensordbg", *words)


def accuracies(output: str) -> list[float]:
    return [float(value) for value in re.findall(r"accuracy (\S+)", output)]


def losses(output: str) -> list[str]:
    return re.findall(r"loss +(\S+)", output)


def line_of(words: str) -> int:
    return next(n for n, text in enumerate(EXAMPLE.read_text().splitlines(), 1) if words in text)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The example recorded, as it goes wrong."""
    folder = tmp_path_factory.mktemp("broken")
    return folder, tdbg("run", "--out", folder, EXAMPLE)


@pytest.fixture(scope="module")
def answer(broken: tuple[Path, subprocess.CompletedProcess[str]]) -> dict[str, Any]:
    """What `tdbg why --json` says of it."""
    return json.loads(tdbg("why", broken[0], "--json").stdout)


def test_it_goes_wrong_within_ten_steps_by_training(broken: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    done = broken[1]
    assert done.returncode == 0
    first_nan = losses(done.stdout).index("nan")
    assert 1 <= first_nan < 10
    # It had begun to learn; then it falls to chance and stays there.
    found = accuracies(done.stdout)
    assert found[first_nan - 1] > 0.15
    assert set(found[first_nan:]) == {found[-1]}
    assert found[-1] < 0.12


def test_recording_changes_nothing_of_what_it_prints(broken: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    plain = ran(EXAMPLE)
    assert plain.returncode == 0
    assert plain.stdout == broken[1].stdout


def test_the_summary_is_on_standard_error(broken: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    done = broken[1]
    for text in ("aten::log:0", "aten::_softmax:0", "log_of_zero", "digits_nan_torch.py", FIX):
        assert text in done.stderr
    assert "tdbg" not in done.stdout


def test_the_first_origin(answer: dict[str, Any]) -> None:
    origin = answer["origins"][0]
    line = line_of("torch.log(probs)")
    assert answer["status"] == "non_finite"
    assert (origin["tensor"], origin["op_type"], origin["function"]) == ("aten::log:0", "aten::log", "unstable_loss")
    assert (origin["source"]["file"], origin["source"]["line"]) == (str(EXAMPLE), line)
    assert origin["cause"] == "log_of_zero"
    assert (origin["dtype"], origin["shape"]) == ("float32", [100, 10])
    assert origin["health"]["neg_inf"] >= 1
    assert [given["tensor"] for given in origin["inputs"]] == ["aten::_softmax:0"]
    assert origin["inputs"][0]["health"]["zero"] == origin["health"]["neg_inf"]
    assert FIX in origin["suggestion"]
    assert {"loss", "gradient", "variable"} <= set(origin["reaches"])


def test_compiled_the_same_origin_is_named(tmp_path: Path) -> None:
    done = tdbg("run", "--out", tmp_path, EXAMPLE, "--compiled", "--steps", "4")
    assert done.returncode == 0, done.stderr
    origin = json.loads(tdbg("why", tmp_path, "--json").stdout)["origins"][0]
    assert (origin["op_type"], origin["source"]["line"]) == ("aten::log", line_of("torch.log(probs)"))
    assert origin["cause"] == "log_of_zero"


def test_check_ends_it_at_the_line() -> None:
    done = tdbg("run", "--check", EXAMPLE)
    assert done.returncode == 1
    assert f'digits_nan_torch.py", line {line_of("torch.log(probs)")}, in unstable_loss' in done.stderr
    assert "nan" not in done.stdout


def test_trap_ends_it_before_the_weights_are_hurt(tmp_path: Path) -> None:
    done = tdbg("trap", "--captures", tmp_path, "--no-replay", EXAMPLE)
    assert done.returncode == 3, done.stderr
    assert "nan" not in done.stdout
    assert "step 2 of Network: the loss is not finite (1 NaN) and 4 of 4 gradients are not finite" in done.stderr
    assert [folder.name for folder in tmp_path.iterdir()] == ["Network-2"]


def test_the_fixed_variant_learns_and_is_finite(tmp_path: Path) -> None:
    done = tdbg("run", "--out", tmp_path, EXAMPLE, "--fixed")
    assert done.returncode == 0
    assert accuracies(done.stdout)[-1] > 0.9
    report = json.loads(tdbg("why", tmp_path, "--json").stdout)
    assert (report["status"], report["non_finite_events"], report["origins"]) == ("finite", 0, [])
    assert report["tensor_events"] > 1000
