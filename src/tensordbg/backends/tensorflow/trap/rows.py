"""Rows of a capture on a function beside its tensors: the definitions, and where its operations were created."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.internals import context
from tensordbg.model import Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.catalog import CATALOG
from tensordbg.trace.program.rows import function_row, site_row, source_row, stack_row, variable_row


class Rows:
    """Takes rows as a trace's writer would; see `tensordbg.recording.catalog.CatalogSink`."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("sites", "functions", "stacks", "sources", "variables")
        }

    def sites(self, sites: Iterable[Site]) -> None:
        """Takes sites."""
        self._rows["sites"].extend(map(site_row, sites))

    def function(self, function: Function) -> None:
        """Takes a function."""
        self._rows["functions"].append(function_row(function))

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        """Takes a stack."""
        self._rows["stacks"].append(stack_row(number, frames))

    def source(self, source: SourceFile) -> None:
        """Takes the text of a file."""
        self._rows["sources"].append(source_row(source))

    def variable(self, variable: Variable) -> None:
        """Takes a variable."""
        self._rows["variables"].append(variable_row(variable))

    def files(self) -> dict[str, bytes]:
        """JSON lines by the name of the file."""
        return {
            f"{name}.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows).encode("utf-8", "backslashreplace")
            for name, rows in self._rows.items()
        }


def rows_of(function: Function) -> dict[str, bytes]:
    """A function with all that it consists of, as files of JSON lines."""
    rows = Rows()
    CATALOG.tell(function.function, rows)
    return rows.files()


def library_of(runtime_name: str, plain: Callable[[str], Any]) -> bytes:
    """A function with all that it calls, as they are without us.

    Args:
        runtime_name: Of the function.
        plain: Gives the plain definition of one that has nodes of ours, None for others.

    Returns:
        A serialized FunctionDefLibrary, the function first.
    """
    from tensorflow.core.framework import function_pb2

    library = function_pb2.FunctionDefLibrary()
    waiting, known = [runtime_name], {runtime_name}
    while waiting:
        name = waiting.pop(0)
        definition = plain(name) or context.context().get_function_def(name)
        library.function.add().CopyFrom(definition)
        for called in called_functions(definition):
            if called not in known:
                known.add(called)
                waiting.append(called)
    return bytes(library.SerializeToString(deterministic=True))


def called_functions(definition: Any) -> Iterator[str]:
    """Names of all functions that a definition names in any attribute."""
    for node in definition.node_def:
        for value in node.attr.values():
            if value.HasField("func"):
                yield value.func.name
            elif value.HasField("list"):
                yield from (function.name for function in value.list.func)
