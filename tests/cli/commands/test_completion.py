"""Completion in a real shell, and what each shell is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tensordbg.cli.group import commands
from tests.cli.conftest import Invoke

COMPLETE = """
eval "$(tdbg completion bash)"
COMP_WORDS=({words}); COMP_CWORD={at}
_tdbg_completion tdbg
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(folder: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    script = COMPLETE.format(words=" ".join(map(repr, words)), at=len(words) - 1)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, check=True, text=True, timeout=60,
    )  # fmt: skip
    return [line for line in done.stdout.splitlines() if line]


def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    assert completed(tmp_path, "tdbg", "lay") == ["layers"]
    assert completed(tmp_path, "tdbg", "why", "--sa") == ["--sarif"]


def test_what_a_command_does_is_told_in_a_whole_sentence() -> None:
    (layers,) = commands.shell_complete(click.Context(commands), "lay")
    assert layers.value == "layers"
    assert str(layers.help).startswith("List the Keras layers and PyTorch modules of a program, with how ")
    assert "..." not in str(layers.help)


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete "), ("zsh", "#compdef tdbg"), ("fish", "complete ")])
def test_each_shell_has_its_script(invoke: Invoke, shell: str, word: str) -> None:
    said = invoke("completion", shell)
    assert (said.code, said.err) == (0, "")
    assert word in said.out
    assert "_TDBG_COMPLETE" in said.out


def test_other_shells_are_refused(invoke: Invoke) -> None:
    said = invoke("completion", "tcsh")
    assert said.code == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in said.err
