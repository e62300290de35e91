"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest
from xdist.remote import Producer

from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import TraceReader, open_trace
from tests import programs
from tests.quick_errors import be_quick
from tests.sample_run import make_sample_run
from tests.sample_trace import make_sample_trace
from tests.scheduler import Scheduler


def _take_ignored_signals() -> None:
    """Has the programs that tests start take what is ignored here.

    In the background, or under nohup, an interrupt or a hangup is ignored, which is inherited; a handler is not.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


_take_ignored_signals()

# What is collected stays to the end: nothing there is garbage. See `pytest_collection_finish`.
gc.disable()

# No test loses the machine's power: files need not reach the disk, which takes most of the time of sealing a trace.
os.fsync = lambda descriptor: os.fstat(descriptor) and None  # a descriptor that is none is refused all the same

# PyTorch comes with the tests on Python 3.11; elsewhere most of these files could not be imported.
collect_ignore_glob = [] if find_spec("torch") else ["backends/torch/*", "e2e/test_torch*"]

# No test depends on how busy the machine is.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


@pytest.fixture(scope="module", autouse=True)
def _little_garbage_to_look_through() -> None:
    """Takes what TensorFlow and the tests before have left out of the collector's sight.

    Each recording looks through the objects of the process, and collects: a worker would take longer and longer.
    """
    if "tensorflow" in sys.modules:
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _nothing_stays_compiled() -> Iterator[None]:
    """Has PyTorch forget what it compiled: each recording would say that it can't look inside."""
    yield
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduler | None:
    """Hands out whole files by our own scheduler, which goes on where a worker dies."""
    return Scheduler(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """Takes the tests, and all that was imported for them, out of the collector's sight before it is let go on."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Gives back what was taken out of sight, for the end of the process clears it in its order."""
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _quick_errors() -> None:
    """Has TensorFlow take the messages of its errors apart in less time; see `quick_errors`."""
    be_quick()


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs that a test starts are not forked, but start as at a user's."""
    monkeypatch.setattr(programs, "_can_be_forked", lambda *_: False)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The folder of the sample trace, in a folder of traces."""
    return make_sample_trace(tmp_path / "tdbg-traces" / "sample")


@pytest.fixture
def sample_reader(sample: Path) -> TraceReader:
    """The sample trace, opened."""
    return open_trace(sample)


@pytest.fixture
def sample_run(tmp_path: Path) -> Path:
    """A folder with the traces of a run of two processes."""
    return make_sample_run(tmp_path / "run-traces")


@pytest.fixture
def run_readers(sample_run: Path) -> dict[str, TraceReader]:
    """The processes of that run, opened, by name."""
    return {process.name: open_trace(process.folder) for process in find_run(sample_run).processes}
