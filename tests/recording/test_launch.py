"""A launched program is as if Python itself had run it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tensordbg.model import Detail
from tensordbg.recording.plan import Plan


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int
    out: str
    err: str


def plain(folder: Path, *words: str) -> Ended:
    return run(folder, [sys.executable, *words])


def launched(folder: Path, *words: str) -> Ended:
    launch = ["-m", "tensordbg.recording.launch", str(folder / "trace"), Plan(Detail.OPS).to_json()]
    return run(folder, [sys.executable, *launch, *words])


def run(folder: Path, command: list[str]) -> Ended:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return Ended(done.returncode, done.stdout, done.stderr)


def ending(folder: Path) -> dict[str, object] | None:
    """What the trace says of the program's end."""
    lines = (folder / "trace" / "facts.jsonl").read_text().splitlines()
    ends = [row["end"] for row in map(json.loads, lines) if "end" in row]
    return ends[-1] if ends else None


PROGRAMS = {
    "what it sees": "import sys; print(sys.argv, __name__, __file__, sys.path[0], __spec__, sorted(globals()))",
    "future": "from __future__ import annotations\ndef f(x: undefined): pass\nprint(f.__annotations__)",
    "no future": "def f(x: int): pass\nprint(f.__annotations__)",
    "raises": "def f():\n    return 1 / 0\n\nf()\n",
    "raises from": "try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError('no') from e\n",
    "syntax": "x = = 1\n",
    "exits with 3": "import sys; print('so far'); sys.exit(3)",
    "exits with words": "import sys; sys.exit('words')",
    "exits": "raise SystemExit",
    "leaves at once": "import os; os._exit(7)",
    "own hook": "import sys\nsys.excepthook = lambda *a: print('mine', a[0])\nraise ValueError(1)",
    "at exit": "import atexit; atexit.register(print, 'last'); print('first')",
    "thread": "import threading; threading.Timer(0.2, print, ['late']).start()",
    "pickles": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))",
    "finds itself": "import sys; print(sys.modules['__main__'].__file__, __import__('__main__').__name__)",
    "reads": "import sys; print(sys.stdin.read())",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "interrupted": "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(5)",
    "terminated": "import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)",
    "workers": (
        "import multiprocessing as m\ndef f(x): return x * 2\n"
        "if __name__ == '__main__':\n    print(m.get_context('spawn').Pool(1).map(f, [1, 2]))\n"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_output_and_end_as_plain_python(tmp_path: Path, name: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAMS[name])
    assert launched(tmp_path, "program.py", "--epochs", "3") == plain(tmp_path, "program.py", "--epochs", "3")


def test_a_module_is_run_as_by_python_m(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "train.py").write_text("import sys; print(sys.argv, __name__, __spec__.name, sys.path[0])")
    (tmp_path / "package" / "__main__.py").write_text("import package; print(__package__)")
    assert launched(tmp_path, "-m", "package.train", "-x") == plain(tmp_path, "-m", "package.train", "-x")
    (tmp_path / "trace").rename(tmp_path / "first")
    assert launched(tmp_path, "-m", "package") == plain(tmp_path, "-m", "package")


def test_a_folder_with_a_main_is_run(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("import helper, sys; print(helper.X, sys.argv)")
    (tmp_path / "app" / "helper.py").write_text("X = 1")
    assert launched(tmp_path, "app") == plain(tmp_path, "app")


def test_the_trace_names_the_programs_own_command(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("pass")
    launched(tmp_path, "program.py", "--epochs", "3")
    metadata = json.loads((tmp_path / "trace" / "trace.json").read_text())
    assert metadata["command"] == [sys.executable, "program.py", "--epochs", "3"]
    assert metadata["program"] == "program"


@pytest.mark.parametrize(
    ("program", "code", "exception"),
    [
        ("pass", 0, None),
        ("import sys; sys.exit(3)", 3, None),
        ("import sys; sys.exit('words')", 1, None),
        ("raise ValueError('no')", 1, "ValueError: no"),
    ],
)
def test_the_trace_says_how_the_program_ended(tmp_path: Path, program: str, code: int, exception: str | None) -> None:
    (tmp_path / "program.py").write_text(program)
    assert launched(tmp_path, "program.py").code == code
    end = ending(tmp_path)
    assert end is not None
    assert (end["exit_code"], end["exception"]) == (code, exception)


def test_the_trace_of_a_killed_program_has_no_end(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert launched(tmp_path, "program.py").code == -signal.SIGKILL
    assert ending(tmp_path) is None


def test_a_folder_that_holds_a_trace_is_refused_before_the_program_starts(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('started')")
    assert launched(tmp_path, "program.py").out == "started\n"
    before = (tmp_path / "trace" / "trace.json").read_bytes()
    second = launched(tmp_path, "program.py")
    assert (second.code, second.out) == (2, "")
    assert second.err.startswith("tdbg: error: ")
    assert second.err.count("\n") == 1
    assert (tmp_path / "trace" / "trace.json").read_bytes() == before
