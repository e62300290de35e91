"""A node of the graph, as the console's commands hand it on."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.model import NONE


@dataclass(frozen=True)
class Node:
    """An operation, where it is one of a graph with its site, and what was recorded of it."""

    name: str
    op_type: str
    site: int = NONE
    event: int | None = None
    """A tensor that it computed; None where none was recorded."""
    tensor: str = ""
    """Of a step, the tensor that leads to it; empty where it is known by its name only."""
    row: SeenTensor | None = None
    """That tensor, where it was recorded."""
    control: bool = False
    """Whether it is only waited for."""
    stated: str = ""
    """Type and shape of that tensor, where only an error tells of them."""
    stated_place: int = NONE
    """Of that tensor among those of the error."""
