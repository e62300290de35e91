"""What is said in the user's program changes nothing of how the program ends."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from tensordbg.recording.saying import say

PROGRAM = """
import sys
from tensordbg.recording.saying import say
say("warning: one")
say("warning: two \\udcff")
sys.exit(7)
"""


def test_it_says_so_on_standard_error() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert done.stderr == "tdbg: warning: one\ntdbg: warning: two \\udcff\n"


@pytest.mark.parametrize("target", ["2>/dev/full", "2>&-", "2>&1 >/dev/null | true"])
def test_nobody_need_hear_it(target: str) -> None:
    script = f"set -o pipefail; \"$0\" -c '{PROGRAM}' {target}"
    assert subprocess.run(["bash", "-c", script, sys.executable], check=False).returncode == 7


def test_it_goes_where_the_program_has_put_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    say("one")
    assert stream.getvalue() == "tdbg: one\n"
    monkeypatch.setattr(sys, "stderr", None)
    say("two")
