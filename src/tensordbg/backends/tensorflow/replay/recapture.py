"""Captures a step as the program has it now, with the batch and the variables of an earlier capture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.replay.variables import live_variables, matched_variables
from tensordbg.backends.tensorflow.trap.nodes import NEXT
from tensordbg.backends.tensorflow.trap.rows import library_of, rows_of
from tensordbg.backends.tensorflow.trap.targets import NotedTargets, named_targets
from tensordbg.capture.header import Header, StoredArgument, StoredTable, StoredTensor, StoredVariable, TensorDigest
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array, dtype_of, packed_tensors
from tensordbg.capture.writer import FUNCTION_FILE, TABLES_FILE, write_capture
from tensordbg.errors import CaptureError
from tensordbg.model import NONE
from tensordbg.recording.guard import guarded


class Recapturing:
    """Looks on while functions are traced, then captures one: an instrument that adds nothing."""

    kind = "recapture"
    active = True

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._notes = NotedTargets(self.guard)
        self._described: dict[str, tuple[Any, Description]] = {}

    def install(self) -> None:
        """Looks on from now on."""
        self._notes.install()
        hooks().functions.add(self)

    def wants(self, graph: Any, definition: Any) -> bool:  # noqa: ARG002  all functions alike
        """Every function."""
        return True

    def add_nodes(self, definition: Any, described: Description) -> None:
        """See `Instrument`."""
        copy = type(definition)()
        copy.CopyFrom(definition)
        self._described[described.function.runtime_name] = (copy, described)

    def warn(self, message: str) -> None:
        """See `Instrument`."""
        raise CaptureError(message)

    def guard(self, what: str) -> AbstractContextManager[None]:
        """See `Instrument`."""
        return guarded(what, self._fail)

    def _fail(self, what: str, error: BaseException) -> None:
        raise CaptureError(f"{what} failed with {type(error).__name__}: {error}") from error

    def write(self, concrete: Any, folder: Path) -> Path:
        """Writes the capture of a concrete function.

        Raises:
            CaptureError: If it can't be given what was captured.
        """
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else concrete.name
        definition, described = self._described[name]
        batch: dict[str, Array] = {}
        variables: dict[str, Array] = {}
        tested = named_targets(definition, described, self._notes.of(described.graph))
        trouble = replace(
            self._capture.header.trouble,
            tested=tuple(TensorDigest(each.name, each.role, each.variable, "") for _, _, each in tested),
        )
        header = replace(
            self._capture.header,
            runtime_name=name,
            function=described.function.name,
            trouble=trouble,
            arguments=tuple(self._arguments(definition, batch)),
            variables=tuple(self._variables(concrete, variables)),
        )
        header = replace(header, tables=self._tables(definition, header))
        files = {
            **rows_of(described.function),
            **self._contents_of_tables(header),
            FUNCTION_FILE: library_of(name, hooks().functions.plain_definition),
        }
        return write_capture(folder / self._capture.path.name, header, batch, variables, files)

    def _arguments(self, definition: Any, batch: dict[str, Array]) -> Iterator[StoredArgument]:
        values = self._capture.batch()
        stored = [values[number] for number in sorted(values)]
        names = {each.argument: each.tensor.name for each in self._capture.header.arguments if each.argument != NONE}
        kept = dtypes.RECORDED if any(each.dtype.kind == "O" for each in stored) else dtypes.PROBED
        given = [i for i, each in enumerate(definition.signature.input_arg) if each.type in kept]
        if len(given) != len(stored):
            counts = f"takes {len(given)} tensors, but {len(stored)} were captured"
            raise CaptureError(f"the changed step {counts}; leave its arguments as they were")
        for number, name, array in zip(given, [names[i] for i in sorted(values)], stored, strict=True):
            yield _stored(batch, f"argument{number}", name, array, number)
        elements = [output.tensor for node in definition.node_def if node.op in NEXT for output in fd.outputs(node)]
        for number, (tensor, array) in enumerate(zip(elements, self._capture.elements().values(), strict=False)):
            yield _stored(batch, f"element{number}", tensor, array, NONE)

    def _tables(self, definition: Any, header: Header) -> tuple[StoredTable, ...]:
        """The captured tables as the arguments that they are now; none where the step takes more or fewer."""
        known = {each.argument for each in header.variables}
        given = [i for i, each in enumerate(definition.signature.input_arg) if each.type == dtypes.RESOURCE]
        given = [number for number in given if number not in known]
        stored = sorted(header.tables, key=lambda each: each.argument)
        if len(given) != len(stored):
            return ()
        return tuple(replace(each, argument=number) for each, number in zip(stored, given, strict=True))

    def _contents_of_tables(self, header: Header) -> dict[str, bytes]:
        if not header.tables:
            return {}
        stored = self._capture.tables()
        parts = {
            part.key: array
            for each in self._capture.header.tables
            for part, array in ((each.keys, stored[each.argument].keys), (each.values, stored[each.argument].values))
        }
        return {TABLES_FILE: packed_tensors(parts)}

    def _variables(self, concrete: Any, variables: dict[str, Array]) -> Iterator[StoredVariable]:
        matched = [(each, live, value) for each, live, value in matched_variables(self._capture, concrete)]
        for argument, variable in live_variables(concrete).items():
            found = next(((each, value) for each, live, value in matched if live is variable), None)
            # What the patch added starts as the program makes it.
            name, value = (variable.name, variable.numpy()) if found is None else (found[0].tensor.name, found[1])
            key = f"variable{argument}"
            variables[key] = value
            stored = StoredTensor(name, dtype_of(value), value.shape, key)
            yield StoredVariable(stored, argument, bool(variable.trainable))


def _stored(batch: dict[str, Array], key: str, name: str, array: Array, argument: int) -> StoredArgument:
    batch[key] = array
    return StoredArgument(StoredTensor(name, dtype_of(array), array.shape, key), argument)
