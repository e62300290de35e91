"""Functions that other processes run too stay as they are; those of servers in this process are looked into."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.hooks import hooks
from tests import programs

PROGRAM = """
import socket, subprocess, sys
import tensorflow as tf

def address():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return f"localhost:{free.getsockname()[1]}"

servers = {"worker": [address()], "ps": [address()]}
SERVE = "import sys, tensorflow as tf; tf.distribute.Server(eval(sys.argv[1]), sys.argv[2], 0, 'grpc').join()"
started = []
for job in servers:
    if sys.argv[1] == "here":
        tf.distribute.Server(servers, job_name=job, task_index=0, protocol="grpc")
    else:
        started.append(subprocess.Popen([sys.executable, "-c", SERVE, repr(servers), job]))
try:
    double = tf.function(lambda x: x * 2.0)
    before = float(double(tf.constant(2.0)))
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(servers), rpc_layer="grpc")
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weight = tf.Variable(0.5)

    @tf.function
    def step(x):
        weight.assign_sub(0.25)
        return tf.math.log(weight * x)  # HERE

    results = [coordinator.schedule(step, args=(tf.constant(1.0),)) for _ in range(2)]
    coordinator.join()
    print(before, sorted(float(result.fetch()) for result in results), float(double(tf.constant(3.0))))
finally:
    for each in started:
        each.kill()
"""
PRINTED = "4.0 [-inf, -1.3862943649291992] 6.0\n"
SAID = "has other processes run its functions, such as the workers of a parameter server strategy"


def ran(where: str, folder: Path, *tdbg: str) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "tensordbg", *tdbg, "--", str(program), where]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    return programs.run(command, env=quiet, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("options", [["run", "--out", "traces"], ["run", "--check"]], ids=["run", "check"])
def test_functions_that_other_processes_run_stay_as_they_are(tmp_path: Path, options: list[str]) -> None:
    done = ran("apart", tmp_path, *options)
    assert (done.stdout, done.returncode) == (PRINTED, 0), done.stderr
    assert SAID in " ".join(done.stderr.split())


def test_functions_of_servers_in_this_process_are_looked_into(tmp_path: Path) -> None:
    done = ran("here", tmp_path, "run", "--out", "traces")
    assert (done.stdout, done.returncode) == (PRINTED, 0), done.stderr
    assert SAID not in " ".join(done.stderr.split())
    (origin,) = tensordbg.open(tmp_path / "traces").why().origins
    assert (origin.cause, origin.view.op_type) == ("log_of_zero", "Log")


def test_the_addresses_tell_which_processes_are_meant(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path):
        server = tf.distribute.Server.create_local_server()
    workers, definition = hooks().functions._workers, server.server_def
    assert not workers.there_are()
    assert not workers._are_in(definition)
    definition.cluster.job[0].tasks[1] = "elsewhere:2222"
    assert workers._are_in(definition)
    definition.task_index = 1
    assert not workers._are_in(definition)
