"""Names that an engineer can read without a docstring: words that were given up stay given up, each for a plainer one.

Looked at are the names of modules, classes and functions, also of private ones.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"

GIVEN_UP = {
    "activation": "a layer's output; one run of a graph is an invocation",
    "aside": "bypass",
    "course": "stepping, or what takes it",
    "crossing": "collective transfer",
    "descent": "spread, or what is made from what",
    "elder": "forward origin",
    "given": "argument, input, or what it is",
    "excerpt": "local flow, or lines around a line",
    "kin": "gradient pair",
    "kinship": "gradient pair",
    "meant": "allowed, or named",
    "mend": "fix",
    "mended": "fixed, or repaired",
    "parting": "divergence",
    "retold": "restored",
    "silent": "without events",
    "told": "what it says",
    "turn": "iteration",
    "witness": "group signals",
}
"""Words, and what to write instead."""

LEFT = {
    "activation": {"analysis/warnings/losses/activation_twice.py", "analysis/warnings/layers/saturation.py"},
    "given": {"console/fullscreen/working.py"},
    "descent": {"analysis/warnings/study/descent.py", "analysis/tensors/divergence.py"},
    "turn": {"tensorflow/v1/turns.py", "console/fullscreen/application.py", "console/fullscreen/panes.py"},
}
"""Where a word is used for what it says: a layer's activation, whose turn it is, to turn to a page."""


def _words(name: str) -> set[str]:
    found = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)
    return {word.lower().removesuffix("s") for word in found} | {word.lower() for word in found}


def _names(path: Path) -> Iterator[str]:
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def test_words_that_were_given_up_are_in_no_name() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {name}: {word}, write {GIVEN_UP[word]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in _names(path)
        for word in _words(name) & GIVEN_UP.keys()
        if path.relative_to(PACKAGE).as_posix() not in LEFT.get(word, set())
    }
    assert not found


def test_the_manual_says_iteration_and_fix() -> None:
    """What users read has one word for each thing."""
    forbidden = re.compile(r"\b(each|one|every|this|last|first|next|which|of) turns?\b|\bmends?\b")
    docs = PACKAGE.parents[1] / "docs"
    found = [
        f"{path.relative_to(docs)}: {line.strip()}"
        for path in sorted(docs.rglob("*.md"))
        for line in path.read_text().splitlines()
        if forbidden.search(line)
    ]
    assert not found


def test_what_is_kept_has_a_noun_for_a_name() -> None:
    """Neither a field nor a function of the console or the debugger is called `given` or `told`, which say not what."""
    found = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for room in ("console", "debug")
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for name in _kept(ast.parse(path.read_text()))
        if name.strip("_") in {"given", "told"}
    ]
    assert not found


def _kept(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            fields = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
            yield from (each.id for each in fields if isinstance(each, ast.Name))
