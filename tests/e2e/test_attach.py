"""Findings attached to real runs: of Weights & Biases offline, of MLflow in a local store, of TensorBoard."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tensordbg
from tests.sample_trace import make_sample_trace

BESIDE = Path(__file__).parents[2] / "build" / "beside" / "bin" / "python"

WANDB = """
import json, sys, wandb, tensordbg
with wandb.init(project="trial") as run:
    tensordbg.attach("sample", "wandb")
    summary = {name: run.summary[name] for name in run.summary.keys() if name.startswith("tensordbg/")}
    files = sorted(path.suffixes[-1] for path in __import__("pathlib").Path(run.dir).rglob("*") if path.is_file())
print(json.dumps([{name: value for name, value in summary.items() if isinstance(value, (str, int))}, files]))
"""
MLFLOW = """
import json, mlflow, tensordbg
mlflow.set_tracking_uri("file:store")
with mlflow.start_run() as run:
    tensordbg.attach("sample", "mlflow")
client = mlflow.MlflowClient()
data = client.get_run(run.info.run_id).data
files = [each.path for each in client.list_artifacts(run.info.run_id, "tensordbg")]
print(json.dumps([data.metrics, data.tags, files]))
"""
NOT_ACTIVE = """
import sys, tensordbg
try:
    tensordbg.attach("sample", sys.argv[1])
except tensordbg.UsageError as error:
    print(repr(str(error)).replace("'", '"'))
"""
FIT = """
import mlflow, tensordbg, keras, numpy as np
from tensordbg.keras import Callback
mlflow.set_tracking_uri("file:store")
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
with mlflow.start_run() as run:
    model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[Callback(attach="mlflow")])
import json
print(json.dumps(mlflow.MlflowClient().get_run(run.info.run_id).data.tags))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if not BESIDE.exists():
        pytest.skip("`make beside` sets up the environment with wandb and mlflow")
    make_sample_trace(tmp_path / "sample")
    return tmp_path


def said(folder: Path, program: str, *words: str) -> Any:
    environment = {
        **os.environ, "WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true",
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }  # fmt: skip
    done = subprocess.run(
        [str(BESIDE), "-c", program, *words],
        cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_wandb(folder: Path) -> None:
    summary, files = said(folder, WANDB)
    assert summary["tensordbg/status"] == "non_finite"
    assert (summary["tensordbg/tensors"], summary["tensordbg/non_finite"]) == (12, 1)
    assert {".html", ".json"} <= set(files)


def test_mlflow(folder: Path) -> None:
    metrics, tags, files = said(folder, MLFLOW)
    assert (metrics["tensordbg.tensors"], metrics["tensordbg.non_finite"]) == (12, 1)
    assert tags["tensordbg.status"] == "non_finite"
    assert sorted(files) == ["tensordbg/findings.json", "tensordbg/findings.md", "tensordbg/report.html"]


@pytest.mark.parametrize(("tool", "rule"), [("wandb", "wandb.init()"), ("mlflow", "mlflow.start_run()")])
def test_without_a_run_it_says_what_to_call(folder: Path, tool: str, rule: str) -> None:
    assert said(folder, NOT_ACTIVE, tool).endswith(f" is active; call `{rule}` before")


def test_a_callback_attaches_where_it_is_asked(folder: Path) -> None:
    assert said(folder, FIT)["tensordbg.status"] == "finite"


def test_tensorboard(tmp_path: Path) -> None:
    tensordbg.attach(make_sample_trace(tmp_path / "sample"), "tensorboard", tmp_path / "logs" / "run")
    read = EventAccumulator(str(tmp_path / "logs" / "run"))
    read.Reload()
    points = [(each.step, each.tensor_proto.double_val[0]) for each in read.Tensors("tensordbg/not_finite")]
    assert points == [(0, 0.0), (1, 0.0), (2, 1.0)]
    assert b"Log:0" in read.Tensors("tensordbg/findings")[0].tensor_proto.string_val[0]
