"""Names, sources and paths of a trace that hold orders to the terminal are shown escaped, wherever they are shown."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.sample_trace import make_sample_trace

STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")

COMMANDS: dict[str, list[str]] = {
    "why": ["why"],
    "why --json": ["why", "--json"],
    "ls": ["ls"],
    "ls --json": ["ls", "--json"],
    "functions": ["functions"],
    "show": ["show", "Log:0"],
    "sql": ["sql", "{trace}", "select name, op_type, function, file from events"],
    "sql --csv": ["sql", "{trace}", "select * from sites", "--csv"],
    "sql --json": ["sql", "{trace}", "select * from functions", "--json"],
    "graph": ["graph", "{function}"],
    "report": ["report", "{trace}", "-o", "-", "--format", "markdown"],
    "console": ["console"],
    "unknown": ["show", f"Log{STEERING}"],
}
TYPED = "lt\nni {name}\nlf\nps\nli {name}\nwhy\nls\nlist_source\nhistory {name}\nnothing\n"


def poison(folder: Path) -> tuple[Path, str]:
    """A trace whose names all hold escapes, and the name of a function in it."""
    trace = make_sample_trace(folder / "tdbg-traces" / "sample")
    function = ""
    for table in ("sites", "functions", "stacks", "sources", "variables", "names"):
        path = trace / f"{table}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        for row in rows:
            for key in ("name", "op_type", "signature", "layer", "device", "text", "file"):
                if isinstance(row.get(key), str) and row[key]:
                    row[key] += STEERING
            for frame in row.get("frames", []):
                frame[0] += STEERING
                frame[2] += STEERING
            function = row["name"] if table == "functions" else function
        if rows:
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return trace, function


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_of_a_trace_steers_the_terminal(command: str, tmp_path: Path) -> None:
    trace, function = poison(tmp_path)
    words = [word.format(trace=trace, function=function) for word in COMMANDS[command]]
    if words[0] != "sql" and str(trace) not in words:
        words.insert(1, str(trace))
    typed = TYPED.format(name="Log" + STEERING) if command == "console" else ""
    done = programs.run(
        [sys.executable, "-m", "tensordbg", *words],
        input=typed.encode(),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode() + done.stderr.decode()
    assert not CONTROLS.search(said), said
    assert "owned" in said
    assert "Traceback" not in said
