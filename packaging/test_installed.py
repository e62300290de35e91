"""What is asked of each wheel before it is published: it is whole, and answers of a trace that the repository holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tensordbg

TRACE = Path(__file__).parents[1] / "tests" / "e2e" / "golden" / "format-4"


def test_the_compiled_part_is_in_it() -> None:
    from tensordbg import _native

    assert _native.kernel_name()


def test_the_page_is_in_it() -> None:
    page = Path(tensordbg.__file__).parent / "server" / "page"
    assert (page / "index.html").is_file()
    assert (page / "saved.html").is_file()


def test_it_answers() -> None:
    traces = sorted(path.parent for path in TRACE.rglob("trace.json"))
    assert traces
    for trace in traces:
        command = [sys.executable, "-m", "tensordbg", "why", str(trace), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert '"origins"' in done.stdout
