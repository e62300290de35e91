"""Texts below the fields of a dataclass, for the description of the answers."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap


@functools.cache
def field_texts(described: type) -> dict[str, str]:
    """The docstrings of the fields, by name; a field without one is left out."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(described))).body
    assert isinstance(definition, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in zip(definition.body, definition.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
