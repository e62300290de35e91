"""Starts the programs of tests, each in a process of its own, that has imported its framework already where it may.

`run` takes what `subprocess.run` takes. To import TensorFlow or PyTorch takes longer than most programs of tests; so
where a test does not look at how a process starts, its program is a fork of one that has done so
(`tests/warm_server.py`). Tests of starting, signals, process groups and imports use `subprocess` itself.
"""

from __future__ import annotations

import atexit
import importlib.util
import inspect
import marshal
import os
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.warm_server import request_of, send

SERVER = Path(__file__).with_name("warm_server.py")
BESIDE = Path(__file__).parents[1] / "build" / "beside" / "bin" / "python"
"""The Python of `make beside`, which has libraries that take longer to import than PyTorch itself."""
LIBRARIES = ("transformers", "transformers.trainer", "transformers.models.bert", "accelerate", "pytorch_lightning")
"""Those of its libraries that the programs of tests train with, each after those that it imports."""
TDBG = str(Path(sys.executable).with_name("tdbg"))
PYTHONS = (sys.executable, str(BESIDE))
OF_NO_EFFECT = (
    *("PYTEST_", "TENSORDBG_RUN", "COLUMNS", "NO_COLOR", "PYDEVD_", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"),
    # Frameworks set these for themselves when they are imported, so that they are there in a worker after some tests.
    *("TF2_BEHAVIOR", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "ENABLE_RUNTIME_UPTIME_TELEMETRY"),
    *("TPU_ML_PLATFORM", "HDF5_PLUGIN_PATH"),
)
"""Variables that nothing reads that is imported with a framework, or that have one value in all processes with it."""
COLD = "TENSORDBG_TESTS_COLD"
"""A variable that has every program start as at a user's, to tell whether a failure comes from the forking."""
MOST = 6
"""So many environments are kept warm at a time, for each takes memory; to start one anew takes seconds."""
OF_TORCH = re.compile(r"^\s*(import|from) torch\b(?![\s\S]*^\s*(import|from) (tensorflow|keras)\b)", re.MULTILINE)
"""Finds that a program imports PyTorch, and no TensorFlow after it."""
PLAIN = {"args", "stdin", "stdout", "stderr", "cwd", "env", "text", "encoding", "errors", "close_fds"}
"""What a process may be given that is forked."""


Key = tuple[str, str, tuple[tuple[str, str], ...]]


class _Server:
    """A process that waits for requests."""

    def __init__(self, python: str, framework: str, environment: Mapping[str, str]) -> None:
        libraries = LIBRARIES if python == str(BESIDE) else ()
        self.control, theirs = socket.socketpair()
        compiled = importlib.util.MAGIC_NUMBER + bytes(12) + _marshalled()
        with tempfile.NamedTemporaryFile(suffix=".pyc") as code:
            code.write(compiled)
            code.flush()
            self._process = subprocess.Popen(
                [python, code.name, str(theirs.fileno()), framework, *libraries],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=dict(environment),
                pass_fds=[theirs.fileno()],
            )
            theirs.close()
            assert self._process.stdout is not None
            self.works = self._process.stdout.readline() == b"ready\n"

    def end(self) -> None:
        """Ends it; programs that it has forked go on."""
        self.control.close()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait()


def _marshalled() -> bytes:
    return marshal.dumps(compile(SERVER.read_text(), "<frozen runpy>", "exec", dont_inherit=True))


def _is_asked_again(python: str, environment: Mapping[str, str]) -> bool:
    """Whether one knows at the first program that more will come: a worker among others runs many files of tests."""
    others = {name for name, value in environment.items() if os.environ.get(name) != value}
    changed = {name for name in others if not name.startswith(OF_NO_EFFECT)}
    return python == str(BESIDE) or ("PYTEST_XDIST_WORKER" in os.environ and changed <= {"TF_CPP_MIN_LOG_LEVEL"})


class _Servers:
    """The servers of this process, by their Python, the framework they have imported and their environment."""

    def __init__(self) -> None:
        self._asked: set[Key] = set()
        self._servers: dict[Key, _Server] = {}
        self._owner = os.getpid()
        atexit.register(self._end)

    def of(self, python: str, framework: str, environment: Mapping[str, str]) -> _Server | None:
        """The one for a framework and an environment; None at the first time where that may be the only one."""
        those = ((name, value) for name, value in environment.items() if not name.startswith(OF_NO_EFFECT))
        key = (python, framework, tuple(sorted(those)))
        if key not in self._asked and not _is_asked_again(python, environment):
            self._asked.add(key)
            return None
        if key not in self._servers:
            if len(self._servers) >= MOST:
                self._servers.pop(next(iter(self._servers))).end()
            self._servers[key] = _Server(python, framework, environment)
        server = self._servers[key] = self._servers.pop(key)
        return server if server.works else None

    def _end(self) -> None:
        if os.getpid() == self._owner:
            for server in self._servers.values():
                server.end()


_SERVERS = _Servers()


def framework_of(command: Sequence[str], folder: Path) -> str:
    """The framework that a command's program imports, as its text says; either is right, the other one is slower."""
    if command[0] == str(BESIDE):
        return "torch"
    texts = [command[2]] if command[1:2] == ["-c"] else []
    texts += [
        file.read_text(errors="replace") for file in (folder / word for word in _files(command)) if file.is_file()
    ]
    return "torch" if OF_TORCH.search("\n".join(texts)) else "tensorflow"


def _files(command: Sequence[str]) -> list[str]:
    modules = [after for word, after in pairwise(command) if word == "-m"]
    return [word for word in command[1:] if word.endswith(".py")] + [f"{name.replace('.', '/')}.py" for name in modules]


def _is_readable(descriptor: int) -> bool:
    """Whether something can be read; `select` takes no descriptor past the first thousand."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


class Warm(subprocess.Popen[Any]):
    """A process like that of `subprocess.Popen`, forked from one that has imported the framework of its program."""

    _answer = -1
    _SIGNATURE = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]

    def _execute_child(self, *words: Any, **named: Any) -> None:
        given = self._SIGNATURE.bind(self, *words, **named).arguments
        environment = dict(os.environ if given["env"] is None else given["env"])
        folder = Path(given["cwd"] or Path.cwd())
        command = [os.fspath(word) for word in given["args"]]
        command = command if command[0] in PYTHONS else [sys.executable, *command]
        server = _SERVERS.of(command[0], framework_of(command, folder), environment)
        if server is None:
            super()._execute_child(*words, **named)  # type: ignore[misc]
            return
        self._answer, theirs = os.pipe()
        pipes = [given[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")]
        streams = [end if end != -1 else at for at, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        request = request_of(command, str(folder), environment)
        send(server.control, request, [*streams, theirs])
        os.close(theirs)
        self.pid = self._number()
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _number(self) -> int:
        read = os.read(self._answer, 8)
        assert len(read) == 8, "the process that forks has ended"
        return int(struct.unpack("q", read)[0])

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if self._answer == -1:
            return super()._try_wait(flags)  # type: ignore[misc,no-any-return]
        if flags & os.WNOHANG and not _is_readable(self._answer):
            return 0, 0
        status = self._number()
        os.close(self._answer)
        return self.pid, status

    def _internal_poll(self, *words: Any, **named: Any) -> int | None:
        if self._answer == -1:
            return super()._internal_poll(*words, **named)  # type: ignore[misc,no-any-return]
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def _can_be_forked(words: Sequence[Any], named: Mapping[str, Any]) -> bool:
    if os.environ.get(COLD):
        return False
    command = [os.fspath(word) for word in words]
    if command[0] in PYTHONS and len(command) > 1:
        fit = command[1] in {"-m", "-c"} or command[1].endswith(".py") or command[1] == TDBG
    else:
        fit = command[0] == TDBG
    return fit and hasattr(os, "pidfd_open") and {name for name in named if named[name] is not None} <= PLAIN


def start(words: Sequence[Any], **named: Any) -> subprocess.Popen[Any]:
    """Starts a program; takes what `subprocess.Popen` takes."""
    kind = Warm if _can_be_forked(words, named) else subprocess.Popen
    return kind(words, **named)


def run(
    words: Sequence[Any],
    *,
    input: Any = None,  # noqa: A002  as `subprocess.run` has it
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **named: Any,
) -> subprocess.CompletedProcess[Any]:
    """Runs a program to its end; takes what `subprocess.run` takes."""
    if input is not None:
        named["stdin"] = subprocess.PIPE
    if capture_output:
        named["stdout"] = named["stderr"] = subprocess.PIPE
    with start(words, **named) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def skip_without_what_it_imports(text: str) -> None:
    """Skips the test where the PyTorch is not installed that the text of a program takes."""
    if re.search(r"^import torch$", text, re.MULTILINE):
        pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
