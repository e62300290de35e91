"""Evaluates an expression in a process of its own, whose memory and time are limited.

What an expression comes to can't be known beforehand for all functions of NumPy, and nothing stops one of them within a
process. So the console's own process, which may be the user's training, is out of reach of a mistake.

    python -c "from tensordbg.console.language.bounded_evaluation import main; main()"

reads one `_Question`, pickled, from standard input, and writes the answer to standard output.
"""

from __future__ import annotations

import ast
import pickle
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.console.language.evaluation import Names, evaluate
from tensordbg.console.language.sizes import MOST
from tensordbg.errors import UsageError


@dataclass(frozen=True)
class Bounds:
    """How much an expression may take."""

    seconds: float = 60.0
    memory: int = 4 * 2**30
    """Bytes beside the tensors that it is computed from."""


@dataclass(frozen=True)
class _Question:
    expression: str
    values: Mapping[str, Any]
    """What the names stand for."""
    refusals: Mapping[str, str]
    """Why other names stand for nothing."""
    memory: int

    def answer(self) -> Any:
        """Returns an array or a number.

        Raises:
            UsageError: If it can't be computed, or is larger than a result may be.
        """
        largest = max([MOST, *(np.size(value) for value in self.values.values())])
        result = evaluate(self.expression, self._value)
        if np.size(result) > largest:
            raise UsageError(
                f"the result has {np.size(result):,} elements, and at most {largest:,} may be; compute with a slice"
            )
        return result

    def _value(self, name: str) -> Any:
        if name not in self.values:
            raise UsageError(self.refusals[name])
        return self.values[name]


# Without the folder of the user's own files, in which a numpy.py might lie.
_CHILD = (
    "import sys; sys.path[:] = [place for place in sys.path if place]; "
    "from tensordbg.console.language.bounded_evaluation import main; main()"
)


def evaluate_bounded(expression: str, names: Names, bounds: Bounds | None = None) -> Any:
    """Returns what an expression comes to; see `evaluate`.

    Raises:
        UsageError: If it is not understood, holds what is not allowed, can't be computed, or takes more than it may.
    """
    bounds = bounds or Bounds()
    question = pickle.dumps(_question(expression, names, bounds), protocol=5)
    command = [sys.executable, "-c", _CHILD]
    try:
        done = subprocess.run(
            command,
            input=question,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=bounds.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{expression!r} takes longer than {bounds.seconds:g} seconds; compute with a slice") from None
    if not done.stdout:
        raise UsageError(f"{expression!r} takes more memory than {bounds.memory:,} bytes; compute with a slice")
    result = pickle.loads(done.stdout)  # written by our own process
    if isinstance(result, UsageError):
        raise result
    return result


def _question(expression: str, names: Names, bounds: Bounds) -> _Question:
    values: dict[str, Any] = {}
    refusals: dict[str, str] = {}
    for name in _names_in(expression):
        try:
            values[name] = names(name)
        except UsageError as error:
            refusals[name] = str(error)
    return _Question(expression, values, refusals, bounds.memory)


def _names_in(expression: str) -> list[str]:
    """Returns the names of what an expression is computed from; none where it is no expression."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    functions = {id(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    modules = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
    found = (each for each in ast.walk(tree) if isinstance(each, ast.Name) and id(each) not in functions | modules)
    return list(dict.fromkeys(each.id for each in found))


def main() -> None:
    """Answers the question on standard input."""
    question = pickle.load(sys.stdin.buffer)
    _limit_memory(question.memory)
    try:
        answer = question.answer()
    except UsageError as error:
        answer = error
    except MemoryError:
        return  # that there is no answer tells
    sys.stdout.buffer.write(pickle.dumps(answer, protocol=5))


def _limit_memory(more: int) -> None:
    """Lets the process take so many bytes more than it has, where the system can tell how many that are."""
    statm = Path("/proc/self/statm")
    if statm.is_file():
        taken = int(statm.read_text().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
