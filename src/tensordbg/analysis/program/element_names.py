"""The names that eager code gives to what it takes out of a dataset: `x` and `y` of `for x, y in dataset`.

An element of several parts is several tensors. Where the iterator told what Python makes of them, each bears the name
that the target has for it: `batch['ids']` of `for batch in dataset` and of `batch = next(iterator)`.
"""

from __future__ import annotations

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tensordbg.analysis.program.description import Program
from tensordbg.model import ELEMENT_OF, ELEMENT_PARTS, NONE, Frame, Site, TensorRef

_LONGEST_TEXT = 2_000_000
"""Characters of a file that is still read."""

_FIRST = re.compile(r"\[(?P<place>\d+)\]|\.(?P<field>\w+)")
"""The first step into an element that can be unpacked; keys of a dictionary can't."""

_TAKING = ("next", "get_next", "__next__")


def element_names(program: Program) -> Mapping[TensorRef, str]:
    """The name of each tensor that eager code takes out of a dataset, where the text gives it one."""
    taking: dict[str, list[tuple[Site, Frame]]] = {}
    for site in program.sites.values():
        if site.function == NONE and ELEMENT_PARTS in site.attributes:
            frame = next((each for each in reversed(program.stacks.get(site.stack, ())) if each.user), None)
            if frame is not None:
                taking.setdefault(frame.file, []).append((site, frame))
    found: dict[TensorRef, str] = {}
    for file, sites in taking.items():
        targets = _targets(program.sources.get(file, ""))
        for site, frame in sites:
            for slot, name in _bound(_target(targets.get(frame.line, []), site), _noted_parts(site)):
                found[TensorRef(site.site, slot)] = name
    return found


def takes_element(node: ast.AST) -> bool:
    """Whether an expression does nothing but take an element out of an iterator."""
    if not isinstance(node, ast.Call):
        return False
    named = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return named in _TAKING


def _noted_parts(site: Site) -> list[tuple[int, str]]:
    parts = json.loads(site.attributes).get(ELEMENT_PARTS)
    told = parts if isinstance(parts, list) else []
    return [(slot, part) for slot, part in enumerate(told) if isinstance(part, str)]


def _target(giving: Sequence[_Giving], site: Site) -> ast.expr | None:
    """The only target to which the elements of a dataset go; of several datasets the one of its name."""
    if len(giving) == 1 and not giving[0].beside:
        return giving[0].target
    name = json.loads(site.attributes).get(ELEMENT_OF)
    alike = [each.target for each in giving if ast.unparse(each.iterated) == name]
    return alike[0] if len(alike) == 1 else None


def _targets(text: str) -> Mapping[int, Sequence[_Giving]]:
    """By line the targets to which the elements go that it takes."""
    found: dict[int, list[_Giving]] = {}
    if not text or len(text) > _LONGEST_TEXT:
        return {}
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(ast.parse(text)):
            for each in _giving(node):
                for line in range(each.within.lineno, (each.within.end_lineno or each.within.lineno) + 1):
                    found.setdefault(line, []).append(each)
    return found


@dataclass(frozen=True)
class _Giving:
    """An expression that gives elements, and what takes them."""

    target: ast.expr
    iterated: ast.expr
    within: ast.expr
    """The whole expression, on whose lines they are taken."""
    beside: bool = False
    """Whether others are iterated over at once, by `zip`."""


def _giving(node: ast.AST) -> Iterator[_Giving]:
    """What takes elements, and of which expression."""
    if isinstance(node, (ast.For, ast.comprehension)):
        yield from _of_loop(_Giving(node.target, node.iter, node.iter))
    elif isinstance(node, ast.Assign) and takes_element(node.value) and len(node.targets) == 1:
        yield _Giving(node.targets[0], node.value, node.value)


def _of_loop(giving: _Giving) -> Iterator[_Giving]:
    target, iterated = giving.target, giving.iterated
    called = iterated.func.id if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) else ""
    if called not in ("zip", "enumerate") or not isinstance(iterated, ast.Call):
        yield giving
        return
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if called == "zip" and len(parts) == len(iterated.args):
        for part, each in zip(parts, iterated.args, strict=True):
            yield from _of_loop(replace(giving, target=part, iterated=each, beside=True))
    elif called == "enumerate" and iterated.args and len(parts) == 2:
        yield from _of_loop(replace(giving, target=parts[1], iterated=iterated.args[0]))


def _bound(target: ast.expr | None, parts: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The name of each part that a target is given."""
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield from ((slot, f"{ast.unparse(target)}{part}") for slot, part in parts)
    elif isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(each, ast.Starred) for each in target.elts):
        fields: dict[str, int] = {}
        for slot, part in parts:
            step = _FIRST.match(part)
            if step is None:
                continue
            place = int(step["place"]) if step["place"] else fields.setdefault(step["field"], len(fields))
            inner = target.elts[place] if place < len(target.elts) else None
            yield from _bound(inner, [(slot, part[step.end() :])])
