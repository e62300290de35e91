"""Whole programs that are recorded into object storage, on a real S3 server with the faults of a bad day."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.object_storage import BUCKET, Server, s3_server

PROGRAM = """
import os, sys, time
import tensorflow as tf

weights = tf.Variable([1.0, 2.0])

@tf.function
def step(x):
    y = tf.math.log(x * weights)
    weights.assign_sub(0.01 * y)
    return tf.reduce_sum(y)

for number in range(int(sys.argv[1])):
    step(tf.constant([1.0, 0.0 if number == 30 else 2.0]))
print("trained", flush=True)
if len(sys.argv) > 2:
    os.kill(os.getpid(), int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def server(running: Server, tmp_path: Path) -> Server:
    running.faults.clear()
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "disk").mkdir()
    return running


def tdbg(server: Server, folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **server.variables, "TMPDIR": str(folder / "disk"), **variables}
    command = [sys.executable, "-m", "tensordbg", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=300
    )


def address(name: str) -> str:
    return f"s3://{BUCKET}/{name}"


def test_a_run_is_there_when_it_has_ended_and_nothing_is_left_here(server: Server, tmp_path: Path) -> None:
    server.faults.errors, server.faults.drops = 2, 2
    done = tdbg(server, tmp_path, "run", "--out", address("whole"), "train.py", "40")
    assert (done.returncode, done.stdout) == (0, "trained\n")
    assert re.search(r"recorded \d+ tensors in 40 steps .*: s3://traces/whole/\S+_train\n", done.stderr), done.stderr
    assert "`tdbg why s3://traces/whole` shows this again" in done.stderr
    assert list((tmp_path / "disk").glob("tdbg-*")) == []
    why = tdbg(server, tmp_path, "why", address("whole"))
    assert why.returncode == 0, why
    assert why.stdout.startswith("Log:0 in step() produced the first -inf: 1 of 2 elements\n")
    assert "cause   log_of_zero" in why.stdout
    listed = tdbg(server, tmp_path, "ls", address("whole"), "--non-finite", "--limit", "1")
    assert "Log:0" in listed.stdout
    report = tdbg(server, tmp_path, "report", address("whole"), "-o", "report.html")
    assert report.returncode == 0, report
    assert "log_of_zero" in (tmp_path / "report.html").read_text()
    same = tdbg(server, tmp_path, "diff", address("whole"), address("whole"))
    assert (same.returncode, same.stdout[:9]) == (0, "The same:")


def test_a_program_that_is_killed(server: Server, tmp_path: Path) -> None:
    done = tdbg(server, tmp_path, "run", "--out", address("killed"), "train.py", "40", str(int(signal.SIGKILL)))
    assert done.returncode == -signal.SIGKILL, done
    why = tdbg(server, tmp_path, "why", address("killed"))
    assert "Log:0 in step() produced the first -inf" in why.stdout


def test_storage_that_goes_away_harms_no_program_and_loses_nothing(server: Server, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(PROGRAM.replace("for number", "open('began', 'w')\ntime.sleep(3)\nfor number"))
    command = [sys.executable, "-m", "tensordbg", "run", "--out", address("gone"), "slow.py", "40"]
    environment = {**os.environ, **server.variables, "TMPDIR": str(tmp_path / "disk"), "AWS_MAX_ATTEMPTS": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        end = time.monotonic() + 120
        while not (tmp_path / "began").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        server.faults.down = True
        out, said = process.communicate(timeout=300)
    assert (process.returncode, out) == (0, "trained\n")
    assert "cause   log_of_zero" in said, "the report needs no storage"
    (line,) = [line for line in said.splitlines() if "not all is in" in line]
    assert line.startswith("tdbg: warning: not all is in s3://traces/gone: s3://traces/gone: object storage refuses (")
    again = shlex.split(line.partition("`")[2].partition("`")[0])
    assert again[:2] == ["tdbg", "upload"]
    server.faults.down = False
    done = tdbg(server, tmp_path, *again[1:])
    assert done.returncode == 0, done
    assert "cause   log_of_zero" in tdbg(server, tmp_path, "why", address("gone")).stdout


def test_what_can_not_be_written_is_said_before_the_program_starts(server: Server, tmp_path: Path) -> None:
    nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    done = tdbg(server, tmp_path, "run", "--out", address("none"), "train.py", "3", **nobody)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "tdbg: error: s3://traces/none: object storage refuses (NoCredentialsError: Unable to locate credentials); give"
    )
    missing = tdbg(server, tmp_path, "run", "--out", "s3://no-such-bucket/run", "train.py", "3")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "s3://no-such-bucket/run: there is no such bucket; make it" in missing.stderr
