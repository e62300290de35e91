"""The parts of what a function of the program yields or returns, each by the line that it came from there."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from tensordbg.recording.assigned_lines import Scope, assigned_before, block_of, own_nodes


def lines_handed_out(text: str, scope: Scope, line: int | None = None) -> list[int]:
    """The lines of the parts in the order in which TensorFlow counts them; none where the text leaves that open.

    Args:
        text: That of the file.
        scope: The function.
        line: Where a generator waits, in a `yield`; None for a function whose only `return` is meant.
    """
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        block = block_of(ast.parse(text), scope)
        found = [each for each in own_nodes(block or ()) if _hands_out(each, line)]
        value = found[0].value if len(found) == 1 and isinstance(found[0], (ast.Yield, ast.Return)) else None
        if value is not None:
            return [_line(text, scope, each) for each in _parts(value)]
    return []


def _hands_out(node: ast.AST, line: int | None) -> bool:
    if line is None:
        return isinstance(node, ast.Return)
    return isinstance(node, ast.Yield) and node.lineno <= line <= (node.end_lineno or node.lineno)


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """The leaves of what is written as a structure; of dictionaries in the order of their keys."""
    if isinstance(value, (ast.Tuple, ast.List)):
        for each in value.elts:
            yield from _parts(each)
    elif isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        pairs = zip(value.keys, value.values, strict=True)
        for _, each in sorted(pairs, key=lambda pair: str(getattr(pair[0], "value", ""))):
            yield from _parts(each)
    else:
        yield value


def _line(text: str, scope: Scope, part: ast.expr) -> int:
    """That of the assignment of a name, else that on which the part stands."""
    assigned = assigned_before(text, scope, part.id, part.lineno) if isinstance(part, ast.Name) else None
    return part.lineno if assigned is None else assigned.line
