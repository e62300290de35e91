"""The examples of `examples/clusters`: the batch script with a stand-in for Slurm, and the manifests by their form."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Context

from tensordbg.cli.group import commands as tdbg
from tensordbg.trace.folders.runs import find_run

EXAMPLES = Path(__file__).parents[2] / "examples" / "clusters"

SRUN = """#!/bin/bash
# Starts what it is given as each task of a step, as srun does on the machines of a job.
export SLURM_STEP_ID=0
for task in $(seq 0 $((SLURM_NTASKS - 1))); do SLURM_PROCID=$task "$@" & done
wait
"""
SCONTROL = "#!/bin/bash\necho 127.0.0.1\n"


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_a_batch_script_records_watches_and_reports(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{commands}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SLURM_SUBMIT_DIR": str(tmp_path),
        "SLURM_JOB_ID": "77",
        "SLURM_JOB_NODELIST": "node[0-1]",
        "SLURM_NTASKS": "2",
        "MASTER_PORT": str(free_port()),
        "OMP_NUM_THREADS": "1",
        "RECORD": "--detail health",
    }
    done = subprocess.run(
        [EXAMPLES / "train.sbatch", EXAMPLES / "train_ddp.py"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    traces = tmp_path / "tdbg-traces" / "77"
    assert [process.name for process in find_run(traces).processes] == ["rank 0", "rank 1"]
    assert "of rank 1 produced the first NaN" in done.stdout
    assert "of rank 1 produced the first NaN" in (traces / "findings.txt").read_text()


def containers(value: Any) -> list[dict[str, Any]]:
    """All containers of a manifest."""
    if isinstance(value, dict):
        return value.get("containers", []) + [each for inner in value.values() for each in containers(inner)]
    return [each for inner in value for each in containers(inner)] if isinstance(value, list) else []


def test_manifests_name_what_there_is() -> None:
    manifests = list(yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text()))
    assert [each["kind"] for each in manifests] == ["Service", "Job", "Deployment", "CronJob"]
    found = containers(manifests)
    assert len(found) == 3
    for container in found:
        program, command, *words = container["command"]
        assert program == "tdbg"
        known = {name for each in tdbg.get_command(Context(tdbg), command).params for name in each.opts}
        assert {word for word in words if word.startswith("--")} <= known
        assert all(isinstance(variable.get("value", ""), str) for variable in container.get("env", ()))
        assert {mount["name"] for mount in container["volumeMounts"]} == {"traces"}
    # The first pod is where the others look for it.
    job = manifests[1]["spec"]["template"]["spec"]
    assert job["subdomain"] == manifests[0]["metadata"]["name"]
