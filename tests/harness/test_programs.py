"""A program that is forked behaves as one that is started, to whoever starts it and to itself."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.programs import BESIDE, TDBG, Warm
from tests.warm_server import count_of_spares

TIMES = re.compile(r"(?<=[IWE]0000 00:00:)[\d.]+ +\d+(?= )")
"""When TensorFlow says something, and the thread that does."""

QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}

LOOKED_AT = """
import json, os, sys
at_first = sorted(sys.modules)
names = ("__name__", "__package__", "__doc__", "__annotations__")
main = sys.modules["__main__"]
print(json.dumps({
    "modules": [name for name in at_first if name.partition(".")[0] in ("tensorflow", "numpy", "subprocess")],
    "main": [repr(getattr(main, name, "none")) for name in names] + [main is not None and vars(main) is globals()],
    "file": globals().get("__file__"), "argv": sys.argv, "path": sys.path[0], "executable": sys.executable,
    "folder": os.getcwd(), "environment": {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
    "umask": os.umask(0), "session": os.getsid(0), "group": os.getpgid(0),
    "open": sorted(os.listdir("/proc/self/fd"))[:3], "stdin": sys.stdin.read(), "encoding": sys.stdout.encoding,
}))
sys.stderr.write("said\\n")
import tensorflow as tf
tf.constant(1.0)
print(tf.executing_eagerly(), tf.__name__, tf.__spec__.name, type(tf.__loader__).__name__, tf.keras.__name__)
"""

PYTORCH = """
import sys, torch
late = ("torch._dynamo", "torch._dynamo.utils", "torch._inductor.compile_fx", "sympy", "pyarrow", "tensorflow")
seen = lambda: [name for name in late if name in sys.modules]
print(seen(), torch.__spec__.name, type(torch.__loader__).__name__, "_dynamo" in vars(torch))
print(torch._dynamo.__name__, seen(), vars(torch)["_dynamo"] is sys.modules["torch._dynamo"])
print(torch.compile(lambda x: x + 1)(torch.ones(2)), seen())
"""

OURS = """
import importlib, sys
def seen():
    return sorted(name for name in sys.modules if name.startswith(("tensordbg", "duckdb.", "pyarrow")))
def held():
    return [(name, sorted(each for each in vars(sys.modules[name]) if f"{name}.{each}" not in sys.modules))
            for name in seen() if name.startswith("tensordbg") and hasattr(sys.modules[name], "__path__")]
print(seen())
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    print(name, seen(), held(), module.__spec__.origin, type(module.__loader__).__name__)
"""

ENDINGS = {
    "raises": "def f():\n    1 / 0\nf()",
    "raises after TensorFlow": "import tensorflow\n1 / 0",
    "exits": "import sys; sys.exit(7)",
    "exits with words": "raise SystemExit('so')",
    "exits by itself after TensorFlow": "import tensorflow, sys; sys.exit(300)",
    "interrupted": "raise KeyboardInterrupt",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "terminated": "import os; os.kill(os.getpid(), 15)",
    "broken": "def f(:",
    "handlers": "import atexit, threading\natexit.register(print, 'last')\n"
    "threading.Thread(target=lambda: (__import__('time').sleep(0.1), print('thread'))).start()\nprint('first')",
    "leaves files open": "import tensorflow, sys\nout = open('left', 'w')\nout.write('more')\n"
    "class Last:\n    def __del__(self):\n        print('gone')\nlast = Last()",
    "own hook": "import sys\nsys.excepthook = lambda kind, error, trace: print('hook', trace.tb_lineno)\n1 / 0",
}


@pytest.fixture(scope="module", autouse=True)
def _warmed() -> None:
    programs.run([sys.executable, "-c", ""], env=QUIET)


def both(*words: str, **named: object) -> tuple[subprocess.CompletedProcess[str], subprocess.CompletedProcess[str]]:
    """Started, and forked."""
    command = [sys.executable, *words]
    more = {"env": QUIET, "capture_output": True, "text": True, "check": False, **named}
    started = subprocess.run(command, **more)  # noqa: PLW1510  # type: ignore[call-overload]
    with programs.start([sys.executable, "-c", ""], env=QUIET) as process:
        assert isinstance(process, Warm)
        assert process._answer != -1, "it is forked"
    return started, programs.run(command, **more)


@pytest.mark.parametrize("how", ["script", "module", "text"])
def test_a_program_sees_the_same(tmp_path: Path, how: str) -> None:
    (tmp_path / "looked.py").write_text(LOOKED_AT)
    words = {"script": ["looked.py"], "module": ["-m", "looked"], "text": ["-c", LOOKED_AT]}[how]
    started, forked = both(*words, "--word", "two", cwd=tmp_path, input="typed")
    assert started.returncode == forked.returncode == 0, forked.stderr
    assert json.loads(forked.stdout.splitlines()[0])["stdin"] == "typed"
    assert forked.stdout == started.stdout
    assert TIMES.sub("", forked.stderr) == TIMES.sub("", started.stderr)


def test_a_program_of_pytorch_sees_the_same() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
    programs.run([sys.executable, "-c", "import torch"], env=QUIET)
    started, forked = both("-c", PYTORCH)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert TIMES.sub("", forked.stderr) == TIMES.sub("", started.stderr)
    assert started.returncode == 0, started.stderr


@pytest.mark.skipif(not BESIDE.exists(), reason="`make beside` sets up the environment with Lightning and Transformers")
@pytest.mark.parametrize("library", ["pytorch_lightning", "transformers.trainer", "accelerate"])
def test_a_program_beside_other_libraries_sees_the_same(library: str) -> None:
    text = f"""
import sys
def seen():
    return [name for name in ("torch", "transformers", "accelerate", "pytorch_lightning") if name in sys.modules]
print(seen(), sys.executable)
import {library} as library
print(library.__name__, library.__spec__.name, library.__file__, "torch" in seen(), library.__name__ in sys.modules)
"""
    words, more = [str(BESIDE), "-W", "ignore", "-c", text], {"capture_output": True, "text": True, "check": False}
    environment = {**QUIET, "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    started = programs.run(words, env=environment, **more)
    with programs.start([str(BESIDE), "-c", ""], env=environment) as process:
        assert isinstance(process, Warm)
        assert process._answer != -1, "already the first is forked"
    forked = programs.run([words[0], *words[3:]], env=environment, **more)
    assert started.returncode == 0, started.stderr
    assert (forked.returncode, forked.stdout) == (0, started.stdout), forked.stderr


def test_a_worker_among_others_forks_its_first_program_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert not programs._is_asked_again(sys.executable, QUIET)
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert programs._is_asked_again(sys.executable, dict(os.environ))
    assert programs._is_asked_again(sys.executable, QUIET)
    assert not programs._is_asked_again(sys.executable, {**QUIET, "PORT": "8000"})


@pytest.mark.parametrize(
    "names",
    [
        ["tensordbg"],
        ["tensordbg.recording.session", "tensordbg.trace.reader"],
        ["tensordbg.cli.commands.why", "tensordbg.analysis.why"],
        ["tensordbg.analysis.why", "tensordbg.report.listing"],
        ["tensordbg.tensorflow.v1"],
        ["tensordbg.console.console"],
    ],
    ids=lambda names: names[0],
)
def test_what_is_ours_is_imported_with_all_that_it_imports(names: list[str]) -> None:
    started, forked = both("-c", OURS, *names)
    assert started.returncode == 0, started.stderr
    assert forked.stdout.splitlines() == started.stdout.splitlines()


def test_a_module_of_ours_that_is_run_is_read_anew() -> None:
    text = "import tensordbg.recording.launch, runpy\nprint(runpy.run_module('tensordbg.errors')['__file__'])"
    started, forked = both("-c", text)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert TIMES.sub("", forked.stderr) == TIMES.sub("", started.stderr)


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import torch", "torch"),
        ("import numpy\nfrom torch import nn", "torch"),
        ("import torchvision", "tensorflow"),
        ("import torch\nimport tensorflow as tf", "tensorflow"),
        ("print('import torch')", "tensorflow"),
    ],
)
def test_the_text_of_a_program_says_which_framework_it_needs(tmp_path: Path, text: str, framework: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text(text)
    for words in (["-c", text], ["a/b.py"], ["-m", "a.b"], ["-m", "tensordbg", "run", "a/b.py", "--fast"]):
        assert programs.framework_of([sys.executable, *words], tmp_path) == framework


def test_temporary_files_go_where_the_program_is_told(tmp_path: Path) -> None:
    environment = {**QUIET, "TMPDIR": str(tmp_path), "TF2_BEHAVIOR": "1"}
    text = "import os, tempfile\nprint(tempfile.gettempdir(), os.environ['TF2_BEHAVIOR'])"
    started, forked = both("-c", text, env=environment)
    assert started.stdout == forked.stdout == f"{tmp_path} 1\n"


@pytest.mark.parametrize("how", ENDINGS)
def test_a_program_ends_the_same(tmp_path: Path, how: str) -> None:
    (tmp_path / "ends.py").write_text(ENDINGS[how])
    started, forked = both("ends.py", cwd=tmp_path)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert TIMES.sub("", forked.stderr) == TIMES.sub("", started.stderr)


def test_what_a_tdbg_starts_is_its_child_and_ends_it_as_it_ends(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(
        "import os, tensorflow as tf\nprint(os.getpid(), os.getppid(), flush=True)\n"
        "tf.math.log(tf.constant(0.0))\nos.kill(os.getpid(), 15)\n"
    )
    command = [TDBG, "run", "--trace", "trace", "child.py"]
    with programs.start(command, cwd=tmp_path, env=QUIET, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child, parent = map(int, process.stdout.readline().split())
        assert json.loads((tmp_path / "trace" / "trace.json").read_text())["pid"] == child
        process.stdout.read()
    assert (process.pid, process.returncode) == (parent, -signal.SIGTERM)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["run", "a.py"], 1),
        (["run", "--check", "a.py"], 1),
        (["trap", "a.py"], 2),  # and the replay of what is caught
        (["replay", "capture"], 3),
        (["diff", "--run", "a.py", "--", "b.py"], 2),
        (["diff", "one", "other"], 0),
        (["why"], 0),
    ],
)
def test_as_many_forks_wait_as_a_tdbg_may_start_programs(words: list[str], count: int) -> None:
    for command in (["python", TDBG], ["python", "-m", "tensordbg"]):
        assert count_of_spares([*command, *words]) == count


@pytest.mark.parametrize(
    ("framework", "drawing"), [("tensorflow", "tensorflow.random.uniform([])"), ("torch", "torch.rand([])")]
)
def test_random_numbers_differ_from_process_to_process(framework: str, drawing: str) -> None:
    pytest.importorskip(framework, reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
    text = f"import {framework}, random, numpy\nprint(random.random(), numpy.random.rand(), float({drawing}))"
    command = [sys.executable, "-c", text]
    drawn = [programs.run(command, env=QUIET, capture_output=True, text=True).stdout for _ in range(3)]
    assert len(set(" ".join(drawn).split())) == 9


def test_options_and_other_programs_are_started() -> None:
    for words in ([sys.executable, "-W", "ignore", "-c", "1"], ["true"]):
        with programs.start(words) as process:
            assert not isinstance(process, Warm)
