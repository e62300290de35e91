"""Imports of a program's own source files, found by reading them: no module is imported for it."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from tensordbg.recording.launch import LaunchedProgram

_MOST_FILES = 500
"""So many files are read at most."""


def own_imports(program: LaunchedProgram) -> frozenset[str]:
    """Finds the top-level modules that a program's script imports, and the files beside it that it imports in turn.

    Args:
        program: The program, which may run already.

    Returns:
        The names, `torch` for `from torch.nn import functional`. What lies beside the script is not among them, nor is
        what a file imports that can't be read.
    """
    first = _first_file(program)
    if first is None:
        return frozenset()
    root = first.parent if program.module is None else Path.cwd()
    found: set[str] = set()
    seen: set[Path] = set()
    waiting = [first]
    while waiting and len(seen) < _MOST_FILES:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in _imported(file, root):
            beside = list(_files_beside(root, name))
            waiting += beside
            if not beside:
                found.add(name.partition(".")[0])
    return frozenset(found)


def _first_file(program: LaunchedProgram) -> Path | None:
    """The file in which the program begins; None where it is not the user's own, or no source."""
    if program.module is None:
        script = Path(program.script).absolute()
        main = script / "__main__.py" if script.is_dir() else script
        return main if main.is_file() and main.suffix not in {".zip", ".pyz"} else None
    try:
        spec = importlib.util.find_spec(program.module.partition(".")[0])
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not Path(spec.origin).is_relative_to(Path.cwd()):
        return None
    parts = Path(*program.module.split("."))
    candidates = (Path.cwd() / parts / "__main__.py", (Path.cwd() / parts).with_suffix(".py"))
    return next((file for file in candidates if file.is_file()), None)


def _imported(file: Path, root: Path) -> Iterator[str]:
    """The full names of what a file imports, wherever in it."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _named_by(node, file, root)


def _named_by(node: ast.ImportFrom, file: Path, root: Path) -> Iterator[str]:
    """What `from a import b` may mean: the module `a`, and the module `a.b` where there is one."""
    above = ""
    if node.level:
        folder = file.parents[node.level - 1] if node.level <= len(file.parents) else root
        if not folder.is_relative_to(root):
            return
        above = ".".join(folder.relative_to(root).parts)
    module = ".".join(filter(None, (above, node.module or "")))
    if module:
        yield module
    for alias in node.names:
        name = ".".join(filter(None, (module, alias.name)))
        if any(_files_beside(root, name)):
            yield name


def _files_beside(root: Path, name: str) -> Iterator[Path]:
    """The files below `root` that an import of a module runs: its own, and those of the packages that it is in."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.is_file():
                yield file
