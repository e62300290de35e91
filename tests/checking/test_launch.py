"""A program under `tdbg run --check` is itself, until it makes a bad number."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path


def launched(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "tensordbg.checking.launch", "program.py", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_bad_number_ends_the_program(tmp_path: Path) -> None:
    done = launched(
        tmp_path,
        """\
        import tensorflow as tf

        @tf.function
        def step(x):
            return tf.math.log(x)

        print(step(tf.constant([1.0, 2.0])).numpy()[0])
        print(step(tf.constant([1.0, 0.0])).numpy()[0])
        """,
    )
    assert (done.returncode, done.stdout) == (1, "0.0\n")
    trace = done.stderr[done.stderr.index("Traceback") :]
    assert trace.startswith('Traceback (most recent call last):\n  File "')
    assert "program.py" in trace.splitlines()[1]
    assert [line for line in done.stderr.splitlines() if line.startswith("tdbg")] == [
        'tdbg: Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1): 1 -Inf',
        f"tdbg: at {_limited(tmp_path / 'program.py')} (L5) step: return tf.math.log(x)",
        f"tdbg: if it is meant, let it pass with {ALLOWING}",
    ]


ALLOWING = 'allow = [{line = "program.py:5"}] under [tool.tensordbg] in pyproject.toml'


def _limited(path: Path) -> str:
    return str(path) if len(str(path)) <= 50 else f"...{str(path)[-50:]}"


def test_a_program_without_trouble(tmp_path: Path) -> None:
    done = launched(
        tmp_path,
        """\
        import sys
        import tensorflow as tf
        assert __name__ == "__main__"
        print(sys.argv[1:], tf.sqrt(4.0).numpy())
        sys.exit(7)
        """,
        "--epochs",
        "3",
    )
    assert (done.returncode, done.stdout) == (7, "['--epochs', '3'] 2.0\n")
    assert "tdbg" not in done.stderr


def test_a_program_without_tensorflow(tmp_path: Path) -> None:
    done = launched(tmp_path, "import sys\nprint('tensorflow' in sys.modules)\nraise ValueError('mine')\n")
    assert (done.returncode, done.stdout) == (1, "False\n")
    assert done.stderr.splitlines()[-1] == "ValueError: mine"


def test_what_only_looks_like_a_finding_is_none(tmp_path: Path) -> None:
    text = '!!! Detected Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1) !!!\\n # of +NaN elements: 1'
    done = launched(tmp_path, f"import tensorflow as tf\nraise ValueError('{text}')\n")
    assert done.returncode == 1
    assert "tdbg" not in done.stderr


def test_the_finding_is_told_of_an_error_that_was_raised_for_it(tmp_path: Path) -> None:
    done = launched(
        tmp_path,
        """\
        import tensorflow as tf

        try:
            tf.math.log([0.0, -1.0])
        except tf.errors.InvalidArgumentError as error:
            raise RuntimeError("the training failed") from error
        """,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert [line for line in done.stderr.splitlines() if line.startswith("tdbg")] == [
        'tdbg: Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1): 1 -Inf, 1 NaN',
        f"tdbg: at {_limited(tmp_path / 'program.py')} (L4) <module>: tf.math.log([0.0, -1.0])",
    ]
