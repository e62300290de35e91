"""Runs programs of tests under the checks, and takes apart what is raised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics


@contextmanager
def checking(**settings: Any) -> Iterator[None]:
    """Checks what the block computes."""
    enable_check_numerics(**settings)
    try:
        yield
    finally:
        disable_check_numerics()


@dataclass(frozen=True)
class Raised:
    """What a check said."""

    message: str

    def _one(self, pattern: str) -> str | None:
        found = re.search(pattern, self.message, re.MULTILINE)
        return None if found is None else found[1]

    @property
    def op_type(self) -> str | None:
        return self._one(r'op "(\w+)" \(# of outputs')

    @property
    def name(self) -> str | None:
        return self._one(r'^  Operation name: "(.*)"')

    @property
    def iteration(self) -> int | None:
        found = self._one(r"^  Loop iteration: (\d+)")
        return None if found is None else int(found)


def raised(program: Callable[..., object], *args: object) -> Raised | None:
    """What ended a program, None where it came to its end."""
    try:
        program(*args)
    except tf.errors.InvalidArgumentError as error:
        found = error
    else:
        return None
    assert (found.node_def, found.op) == (None, None)
    return Raised(found.message)


def blamed(program: Callable[..., object], *args: object, times: int = 20) -> set[tuple[Any, ...]]:
    """The operations that are blamed when a program is run many times: type, name and iteration."""
    found = set()
    for _ in range(times):
        said = raised(program, *args)
        found.add(() if said is None else (said.op_type, said.name, said.iteration))
    return found
