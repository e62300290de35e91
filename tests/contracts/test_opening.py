"""Files that others made are opened in one place: what reads traces, captures and dumps opens nothing by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"
FILES = sorted(path for layer in ("trace", "capture", "importers") for path in (PACKAGE / layer).rglob("*.py"))

READING = frozenset({"read_bytes", "read_text", "fromfile", "memmap", "loadtxt", "genfromtxt", "load_file", "getlines"})
WRITING = ("w", "a", "x", "r+")

OURS = {
    "trace/held_file.py": "opens for appending",
    "trace/sealed/parts.py": "flushes what it has written",
    "trace/sealed/seal.py": "locks the folder",
    "trace/program/process_age.py": "reads /proc",
    "trace/program/running.py": "reads /proc",
    "capture/writer.py": "flushes what it has written",
    "capture/tensors.py": "lets safetensors map the file, once it was opened here",
    "trace/events.py": "writes",
    "importers/tensor_files/numpy_files.py": "opens members of an archive that was opened here",
}
"""Files that call `os.open` or read what is no one's, and why."""


def calls(path: Path) -> Iterator[str]:
    """What in a module opens a file for reading, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and _reads(node):
            yield f"line {node.lineno}: {ast.unparse(node)[:80]}"


def _reads(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id in {"open", *READING}
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in READING:
        return True
    modes = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return call.func.attr == "open" and not any(mode.startswith(WRITING) for mode in modes)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_files_of_others_are_opened_by_one_module(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() not in OURS:
        assert not list(calls(path)), "use tensordbg.opening"


def test_exceptions_are_still_needed() -> None:
    assert all(list(calls(PACKAGE / name)) for name in OURS)


def test_the_rule_sees_what_it_should() -> None:
    texts = ("open(p)", "p.open('rb')", "p.open()", "p.read_bytes()", "np.fromfile(p)", "os.open(p, 0)", "gzip.open(p)")
    assert all(_reads(ast.parse(text).body[0].value) for text in texts)  # type: ignore[attr-defined]
    assert not any(_reads(ast.parse(text).body[0].value) for text in ("p.open('wb')", "p.open('a', encoding='utf-8')"))  # type: ignore[attr-defined]
