"""`tdbg run` around programs that need no framework; tests/e2e has those that do."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from tensordbg.trace.folders.runs import find_run
from tests.cli.conftest import COMMAND, Tdbg, error_of

Write = Callable[..., str]


def test_output_arguments_and_exit_code_are_the_programs(tdbg: Tdbg, program: Write) -> None:
    name = program("import sys\nprint(sys.argv)\nsys.exit(3)")
    done = tdbg("run", name, "--out", "mine", "-h", "--", "x")
    assert done.returncode == 3
    assert done.stdout == "['program.py', '--out', 'mine', '-h', '--', 'x']\n"


def test_input_is_the_programs(folder: Path, program: Write) -> None:
    name = program("print(input()[::-1])")
    done = subprocess.run(
        [*COMMAND, "run", name], cwd=folder, input="abc\n", capture_output=True, check=False, text=True
    )
    assert done.stdout == "cba\n"


def test_module(tdbg: Tdbg, folder: Path) -> None:
    (folder / "package").mkdir()
    (folder / "package" / "train.py").write_text("import sys\nprint(__name__, sys.argv[1:])")
    done = tdbg("run", "-m", "package.train", "--epochs", "3")
    assert (done.returncode, done.stdout) == (0, "__main__ ['--epochs', '3']\n")


def test_exception_is_the_programs(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("def f():\n    raise ValueError('mine')\nf()\n")
    done = tdbg("run", name)
    assert done.returncode == 1
    before = done.stderr.partition("tdbg:")[0].splitlines()
    assert before[0] == "Traceback (most recent call last):"
    assert before[-1] == "ValueError: mine"
    assert "tensordbg" not in done.stderr.partition("ValueError: mine")[0]


def test_nothing_recorded_is_said_in_one_line(tdbg: Tdbg, program: Write) -> None:
    done = tdbg("run", program("print('hello')"))
    assert done.stdout == "hello\n"
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("tdbg: nothing was recorded: ")


def test_out_is_the_folder_of_traces(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("pass")
    tdbg("run", "--out", "runs/a", name)
    tdbg("run", "--out", "runs/a", name)
    assert len(list((folder / "runs" / "a").iterdir())) == 2


def test_missing_script_is_refused(tdbg: Tdbg, folder: Path) -> None:
    line = error_of(tdbg("run", "train.py"))
    assert line == "no such file 'train.py'; `tdbg run` takes a Python program and its arguments"
    assert not list(folder.iterdir())


def test_folder_that_cannot_be_written_is_refused_before_the_program_starts(tdbg: Tdbg, program: Write) -> None:
    name = program("print('started')")
    program("", "taken")
    line = error_of(tdbg("run", "--out", "taken", name))
    assert "taken" in line
    assert ";" in line


def test_killed_program(folder: Path, program: Write) -> None:
    name = program("import os, signal, sys\nprint('here', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)")
    with subprocess.Popen(
        [*COMMAND, "run", name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        said, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert said == "here\n"
    assert errors.startswith("tdbg: nothing was recorded")


def test_terminated_program(folder: Path, program: Write) -> None:
    name = program("import time\nprint('ready', flush=True)\ntime.sleep(60)")
    with subprocess.Popen(
        [*COMMAND, "run", name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert "tdbg: nothing was recorded" in errors


def test_options_of_values_reach_the_program(tdbg: Tdbg, program: Write) -> None:
    name = program("import sys; from tensordbg.recording.session import Session\nprint(Session._current.plan.values)")
    words = ["--values-of", "dense", "--values-op-type", "Add", "--values-steps", "3..", "--values-budget", "1K"]
    done = tdbg("run", "--detail", "values", *words, name)
    assert done.stdout == (
        "ValueFilter(name='dense', op_types=('Add',), function='', file='', steps=(3, None), budget=1024)\n"
    )


def test_the_number_of_last_events_reaches_the_program(tdbg: Tdbg, program: Write) -> None:
    name = program("from tensordbg.recording.session import Session\nprint(Session.current().plan.last)")
    assert tdbg("run", "--last", "7", name).stdout == "7\n"
    assert "0 is not in the range" in error_of(tdbg("run", "--last", "0", name))


def test_that_graphs_are_wanted_reaches_the_program(tdbg: Tdbg, program: Write) -> None:
    name = program("from tensordbg.recording.session import Session\nprint(Session.current().plan.graphs)")
    assert (tdbg("run", "--graphs", name).stdout, tdbg("run", name).stdout) == ("True\n", "False\n")


def test_that_sketches_are_wanted_reaches_the_program(tdbg: Tdbg, program: Write) -> None:
    name = program("from tensordbg.recording.session import Session\nprint(Session.current().plan.sketch)")
    assert tdbg("run", "--sketch", name).stdout == "True\n"


def test_options_of_values_are_for_that_detail(tdbg: Tdbg, program: Write) -> None:
    line = error_of(tdbg("run", "--values-of", "dense", program("")))
    assert line == "options of values are for --detail values, not health; give that too"
    line = error_of(tdbg("run", "--detail", "values", "--values-of", "*", program("")))
    assert line.startswith("the name '*' is no regular expression")


def test_checking_makes_no_trace(tdbg: Tdbg, folder: Path, program: Write) -> None:
    done = tdbg("run", "--check", program("import sys\nprint(sys.argv)\nsys.exit(3)"), "--check")
    assert (done.returncode, done.stdout, done.stderr) == (3, "['program.py', '--check']\n", "")
    assert [path.name for path in folder.iterdir()] == ["program.py"]


def test_checking_with_options_of_recording_is_refused(tdbg: Tdbg, program: Write) -> None:
    line = error_of(tdbg("run", "--check", "--last", "3", program("pass")))
    assert line == "--last is for a recording, but --check records nothing; leave one of them out"


def test_settings_that_are_not_understood_are_refused_before_the_program_runs(
    tdbg: Tdbg, folder: Path, program: Write
) -> None:
    (folder / "pyproject.toml").write_text("[tool.tensordbg]\nallow = [{ops = 'Log'}]\n")
    name = program("print('runs')")
    for words in (("--check",), ()):
        line = error_of(tdbg("run", *words, name))
        assert line.endswith("allow[0] has the key 'ops', but a rule knows op, name, line and nan; take it out")


def test_what_the_program_starts_and_is_recorded_too_belongs_to_its_run(
    folder: Path, tdbg: Tdbg, program: Write
) -> None:
    program("print('child')", "child.py")
    name = program(
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'tensordbg', 'run', '--out', 'runs', 'child.py']\n"
        "started = [subprocess.Popen(command) for _ in range(2)]\n"
        "sys.exit(sum(each.wait() for each in started))\n"
    )
    assert tdbg("run", "--out", "runs", name, TENSORDBG_RUN="").returncode == 0
    names = [process.name for process in find_run(folder / "runs").processes]
    assert len(names) == 3
    assert [name.partition(" ")[0] for name in sorted(names)] == ["child", "child", "program"]
    assert tdbg("run", "--out", "runs", "child.py").returncode == 0
    assert [process.name for process in find_run(folder / "runs").processes] == ["child"]


def test_a_trace_of_a_name_is_not_overwritten(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("print('runs')")
    assert tdbg("run", "--trace", "runs/mine", name).stdout == "runs\n"
    before = (folder / "runs" / "mine" / "trace.json").read_bytes()
    line = error_of(tdbg("run", "--trace", "runs/mine", name))
    assert line == "runs/mine: holds a trace already; choose another folder, or replace it with --force"
    assert (folder / "runs" / "mine" / "trace.json").read_bytes() == before
    assert tdbg("run", "--trace", "runs/mine", "--force", name).stdout == "runs\n"
    assert (folder / "runs" / "mine" / "trace.json").read_bytes() != before
    assert [path.name for path in (folder / "runs").iterdir()] == ["mine"]


def test_other_files_are_never_overwritten(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("print('runs')")
    for words in ((), ("--force",)):
        line = error_of(tdbg("run", "--trace", ".", *words, name))
        assert line == ".: holds something else already; choose a folder that does not exist yet"
    assert [path.name for path in folder.iterdir()] == ["program.py"]


def test_what_is_refused_deletes_nothing(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("pass")
    tdbg("run", "--trace", "mine", name)
    (folder / "pyproject.toml").write_text("[tool.tensordbg]\nodd = 1\n")
    for words in (("run", "--trace", "mine", "--force", name), ("run", "--trace", "mine", "--force", "absent.py")):
        error_of(tdbg(*words))
    assert (folder / "mine" / "trace.json").exists()


def test_no_trace_is_made_inside_of_another(tdbg: Tdbg, folder: Path, program: Write) -> None:
    name = program("print('runs')")
    tdbg("run", "--trace", "mine", name)
    line = error_of(tdbg("run", "--out", "mine", name))
    assert line.startswith("mine: is a trace itself, and new ones are made beside it; name the folder above it, or")


def test_a_folder_of_traces_and_a_trace_are_not_both_given(tdbg: Tdbg, program: Write) -> None:
    name = program("print('runs')")
    line = error_of(tdbg("run", "--out", "runs", "--trace", "mine", name))
    assert line == "--out is for a new trace in a folder, --trace for the trace itself; give one of them"
    line = error_of(tdbg("run", "--force", name))
    assert line == "--force replaces the trace that --trace names, but there is no --trace; name it"


def test_of_two_programs_told_to_write_into_one_trace_one_is_recorded(folder: Path, program: Write) -> None:
    name = program("print('runs')")
    command = [*COMMAND, "run", "--trace", "mine", name]
    both = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120) for process in both]
    assert sorted(process.returncode for process in both) == [0, 2]
    assert sorted(out for out, _ in said) == ["", "runs\n"]
    refused = next(err for process, (_, err) in zip(both, said, strict=True) if process.returncode)
    assert "tdbg: error: " in refused
    assert "already" in refused
    assert "Traceback" not in refused
    assert (folder / "mine" / "trace.json").exists()
