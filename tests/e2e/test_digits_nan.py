"""The main job: the example goes wrong by itself, is recorded, and the report names the line, the zero and the fix."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import programs

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "digits_nan.py"
QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def tdbg(*words: str | Path) -> Ended:
    command = [sys.executable, "-m", "tensordbg", *map(str, words)]
    done = programs.run(command, capture_output=True, text=True, check=False, env=QUIET)
    return Ended(done.returncode, done.stdout, done.stderr)


def accuracies(output: str) -> list[float]:
    return [float(value) for value in re.findall(r"accuracy (\S+)", output)]


def losses(output: str) -> list[str]:
    return re.findall(r"loss +(\S+)", output)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The example recorded, as it goes wrong."""
    folder = tmp_path_factory.mktemp("broken")
    return folder, tdbg("run", "--out", folder, EXAMPLE)


@pytest.fixture(scope="module")
def answer(broken: tuple[Path, Ended]) -> dict[str, Any]:
    """What `tdbg why --json` says of it."""
    return json.loads(tdbg("why", broken[0], "--json").out)


def test_it_goes_wrong_within_ten_steps_by_training(broken: tuple[Path, Ended]) -> None:
    ended = broken[1]
    assert ended.code == 0
    first_nan = losses(ended.out).index("nan")
    assert 1 <= first_nan < 10
    # It had begun to learn; then it falls to chance and stays there.
    found = accuracies(ended.out)
    assert max(found[:first_nan]) > 0.2
    assert set(found[first_nan:]) == {found[-1]}
    assert found[-1] < 0.15


def test_recording_changes_nothing_of_what_it_prints(broken: tuple[Path, Ended]) -> None:
    plain = programs.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True, env=QUIET).stdout
    recorded = broken[1].out
    assert plain.count("\n") == recorded.count("\n")
    for expected, value in zip(losses(plain), losses(recorded), strict=True):
        assert float(value) == pytest.approx(float(expected), rel=1e-3, nan_ok=True)


def test_the_summary_is_on_standard_error(broken: tuple[Path, Ended]) -> None:
    err = broken[1].err
    for text in ("Log:0", "probs:0", "log_of_zero", "digits_nan.py", "softmax_cross_entropy_with_logits"):
        assert text in err
    assert "tdbg" not in broken[1].out


def test_the_first_origin(answer: dict[str, Any]) -> None:
    origin = answer["origins"][0]
    line = next(n for n, text in enumerate(EXAMPLE.read_text().splitlines(), 1) if "tf.math.log(probs)" in text)
    assert answer["status"] == "non_finite"
    assert (origin["tensor"], origin["op_type"], origin["function"]) == ("Log:0", "Log", "unstable_loss")
    assert (origin["source"]["file"], origin["source"]["line"]) == (str(EXAMPLE), line)
    assert "tf.math.log(probs)" in origin["source"]["text"]
    assert origin["cause"] == "log_of_zero"
    assert (origin["dtype"], origin["shape"]) == ("float32", [100, 10])
    assert origin["health"]["neg_inf"] >= 1
    assert [given["tensor"] for given in origin["inputs"]] == ["probs:0"]
    assert origin["inputs"][0]["health"]["zero"] >= 1
    assert origin["consequential"] is True
    assert "loss" in origin["reaches"]
    user = [frame for frame in origin["stack"] if frame["user"]]
    assert (user[-1]["line"], user[-1]["text"]) == (line, origin["source"]["text"])


def test_all_that_is_not_finite_descends_from_the_origins(answer: dict[str, Any]) -> None:
    causes = {origin["cause"] for origin in answer["origins"]}
    assert causes <= {"log_of_zero", "infinite_gradient"}
    assert len({origin["step"] for origin in answer["origins"]}) == 1
    reached = {reach for origin in answer["origins"] for reach in origin["reaches"]}
    assert {"loss", "gradient", "variable"} <= reached


def test_the_fixed_variant_learns_and_is_finite(tmp_path: Path) -> None:
    ended = tdbg("run", "--out", tmp_path, EXAMPLE, "--fixed")
    assert ended.code == 0
    assert accuracies(ended.out)[-1] > 0.9
    report = json.loads(tdbg("why", tmp_path, "--json").out)
    assert (report["status"], report["non_finite_events"], report["origins"]) == ("finite", 0, [])
    assert report["tensor_events"] > 1000
    assert "finite" in tdbg("why", tmp_path).out


def test_every_command_works_on_the_folder_of_traces(broken: tuple[Path, Ended], tmp_path: Path) -> None:
    folder = broken[0]
    listed = json.loads(tdbg("ls", folder, "--non-finite", "--op-type", "Log", "--limit", "1", "--json").out)
    assert "Log:0" in json.dumps(listed)
    assert "digits_nan.py" in tdbg("show", folder, "Log:0").out
    counted = tdbg("sql", folder, "select count(*) as n from tensors where nan > 0", "--json")
    assert json.loads(counted.out)[0]["n"] > 100
    assert tdbg("export", folder, tmp_path / "tables").code == 0
    assert (tmp_path / "tables" / "tensors.parquet").exists()


def test_a_killed_run_can_be_read(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(
        "import os, signal, tensorflow as tf\n"
        "@tf.function\n"
        "def step(x):\n"
        "    return tf.math.log(x)\n"
        "for value in (2.0, 1.0, 0.0):\n"
        "    step(tf.constant(value))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = tdbg("run", "--out", tmp_path / "traces", program)
    assert ended.code == -signal.SIGKILL
    assert "log_of_zero" in ended.err
    origin = json.loads(tdbg("why", tmp_path / "traces", "--json").out)["origins"][0]
    assert (origin["cause"], origin["step"], origin["source"]["line"]) == ("log_of_zero", 2, 4)


def test_a_trace_whose_supervisor_was_killed_too_can_be_read(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(
        "import time, tensorflow as tf\ntf.math.log(tf.constant(0.0))\nprint('ready', flush=True)\ntime.sleep(60)\n"
    )
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "traces"), str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=QUIET, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGKILL)
    time.sleep(0.1)
    origin = json.loads(tdbg("why", tmp_path / "traces", "--json").out)["origins"][0]
    assert origin["cause"] == "log_of_zero"
