"""Lines of a program that run where it has switched gradients off: in such a `with`, or in a function decorated so."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from functools import lru_cache

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program

_LONGEST_TEXT = 2_000_000
_OFF = re.compile(r"\b(no_grad|inference_mode)\b|\bset_grad_enabled\(False\)")


def runs_without_gradients(program: Program, stack: tuple[SourceLine, ...]) -> bool:
    """Whether a line of the program's own code on a stack stands where gradients are off, as its text says."""
    return any(
        first <= line.line <= last
        for line in stack
        if line.user
        for first, last in _without_gradients(program.sources.get(line.file, ""))
    )


@lru_cache(maxsize=64)
def _without_gradients(text: str) -> tuple[tuple[int, int], ...]:
    """First and last lines of the parts of a program's text that compute without gradients."""
    if len(text) > _LONGEST_TEXT or _OFF.search(text) is None:
        return ()
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(_parts(ast.parse(text)))
    return ()


def _parts(tree: ast.AST) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            told = [each.context_expr for each in node.items]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            told = node.decorator_list
        else:
            continue
        if any(_OFF.search(ast.unparse(each)) for each in told):
            yield node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
