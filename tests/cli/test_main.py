"""`tdbg` itself: help, version, what it refuses, and how fast it answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensordbg
from tensordbg.cli.group import COMMANDS
from tests.cli.conftest import Tdbg, error_of


def test_help_lists_every_command(tdbg: Tdbg) -> None:
    done = tdbg("--help")
    assert done.returncode == 0
    groups = done.stdout.partition("Record a program:")[2]
    listed = re.findall(r"^  (\w+)", groups, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_no_words_mean_help(tdbg: Tdbg) -> None:
    assert tdbg().stdout == tdbg("--help").stdout


def test_version(tdbg: Tdbg) -> None:
    assert tdbg("--version").stdout == f"tdbg {tensordbg.__version__}\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["wy"], "no such command 'wy'; did you mean 'why'? `tdbg --help` lists the commands"),
        (["xyzzy"], "no such command 'xyzzy'; `tdbg --help` lists the commands"),
        (["--nope"], "no such option '--nope'; `tdbg --help` lists the options"),
        (["why", "--jsn"], "no such option '--jsn'; did you mean '--json'? `tdbg why --help` lists the options"),
        (["run"], "missing argument 'SCRIPT'; `tdbg run --help` shows the usage"),
        (["show"], "missing argument NAME[:SLOT]; `tdbg show --help` shows the usage"),
        (["sql", "a", "b", "c"], "unexpected argument 'c' after QUERY; `tdbg sql --help` shows the usage"),
        (
            ["ls", "--step", "x"],
            (
                "invalid value for '--step': 'x' is neither a step such as 3 nor a range such as 3..9; "
                "`tdbg ls --help` shows the usage"
            ),
        ),
    ],
)
def test_what_is_refused(tdbg: Tdbg, words: list[str], line: str) -> None:
    assert error_of(tdbg(*words)) == line


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, tensordbg.cli\n"
        "try: tensordbg.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'pyarrow', 'duckdb', 'rich', 'tensorflow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_command_takes_the_time_to_import_pandas(sample: Path) -> None:
    code = (
        "import atexit, sys, tensordbg.cli\n"
        "atexit.register(lambda: print({'pyarrow', 'pandas'} & set(sys.modules)))\n"
        "import importlib.util\n"
        "assert importlib.util.find_spec('pandas'), 'pandas is there'\n"
        "sys.argv = ['tdbg', 'why', sys.argv[1]]\n"
        "tensordbg.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(sample)], capture_output=True, text=True, check=False)
    assert "log_of_zero" in done.stdout, done.stderr
    assert done.stdout.endswith("{'pyarrow'}\n")


def test_reader_that_goes_away_is_no_error(tdbg: Tdbg) -> None:
    command = f"'{sys.executable}' -m tensordbg --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, text=True)
    assert "Traceback" not in done.stderr


def test_libraries_that_do_not_go_together_are_one_line(tdbg: Tdbg, folder: Path) -> None:
    (folder / "pyarrow").mkdir()
    (folder / "pyarrow" / "__init__.py").write_text(
        "raise ImportError('pyarrow requires NumPy 2.0 or newer, found 1.26')"
    )
    (folder / "trace.json").write_text("{}")
    line = error_of(tdbg("why", str(folder), PYTHONPATH=str(folder)))
    assert "pyarrow requires NumPy 2.0 or newer, found 1.26" in line
    assert "pip install 'pyarrow<24'" in line
