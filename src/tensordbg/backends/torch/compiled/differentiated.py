"""Finds what a gradient by `torch.func` differentiates in a compiled graph: by what it takes, as nobody notes it.

The gradient of a root is made of the root's result, that of a logarithm of what the logarithm was taken of. So the
operation is one of those whose result or operands it takes, and it is told where only one of them may be it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_OF_RESULT = frozenset({"linalg_vector_norm", "norm", "reciprocal", "rsqrt", "sqrt"})
"""Operations whose gradient is made of what they give, by their names; all these may have an infinite slope."""
_OF_OPERANDS = frozenset(
    {"acos", "acosh", "asin", "atan2", "atanh", "div", "linalg_vector_norm", "log", "log10", "log1p", "log2", "norm"}
) | {"pow", "xlogy"}


def differentiated(node: Any, is_gradient: Callable[[Any], bool]) -> Any | None:
    """The operation of the graph that one of a gradient differentiates; None where it isn't known.

    Args:
        node: The operation of the gradient.
        is_gradient: Tells whether an operation is one of a gradient.
    """
    found = set()
    for each, direct in _taken(node, is_gradient):
        if _name(each) in _OF_RESULT and not (direct and _name(each) == "sqrt"):  # that is doubled first
            found.add(each)
        if direct:
            found.update(user for user in each.users if _name(user) in _OF_OPERANDS and not is_gradient(user))
    return found.pop() if len(found) == 1 else None


def _taken(node: Any, is_gradient: Callable[[Any], bool]) -> Iterator[tuple[Any, bool]]:
    """What an operation takes that is of no gradient, and whether directly: else it was scaled or shaped before."""
    for each in node.all_input_nodes:
        if not is_gradient(each):
            yield each, True
        elif not any(is_gradient(other) for other in each.all_input_nodes):
            yield from ((other, False) for other in each.all_input_nodes)


def _name(node: Any) -> str:
    schema = getattr(node.target, "_schema", None)
    return "" if schema is None else schema.name.rpartition("::")[2]
