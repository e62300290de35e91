"""Finds the step that left a variable bad, in a capture of several steps, and makes a capture of that step alone.

The steps run one after the other from the state before the first; nothing of it is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.replay.functions import read_library
from tensordbg.backends.tensorflow.replay.outputs import name_and_slot
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.header import SERIES, Header, StoredArgument, StoredVariable, Suspect, TensorDigest
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array, digest_of
from tensordbg.capture.writer import BATCH_FILE, HEADER_FILE, VARIABLES_FILE, write_capture
from tensordbg.errors import CaptureError
from tensordbg.health.measured import Measured
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trapping.capture import suspect_of
from tensordbg.trapping.targets import VARIABLE, TrapTarget


class SeriesReplayer(Replayer):
    """Has the steps of a capture ready to run."""

    def __init__(self, capture: Capture, plan: ReplayPlan) -> None:
        """Loads the capture.

        Raises:
            CaptureError: If it is damaged, was cut, or would do more than compute and is not trusted.
        """
        super().__init__(capture, plan)
        self._capture = capture

    def narrow(self) -> Path:
        """Runs the steps until a variable is bad.

        Returns:
            A new capture, beside this one, of the step that did it.

        Raises:
            CaptureError: If none does, or it can't be written.
        """
        for number, (arguments, given) in enumerate(self._steps()):
            self.run(given)
            if self.ruined():
                return self._write(number, arguments)
            self._values = {argument: variable.numpy() for argument, variable in self._variables.items()}
        raise CaptureError(
            f"{self._capture.path}: every variable stays finite in its {len(self._header.later) + 1} steps here; "
            "replay it where it was made"
        )

    def _steps(self) -> Iterator[tuple[tuple[StoredArgument, ...], Mapping[str, Array]]]:
        """For each step what it is given: as the header has it, and by name."""
        for arguments in (self._header.arguments, *self._header.later):
            yield arguments, self._capture.tensors_of(arguments)

    def _write(self, number: int, arguments: tuple[StoredArgument, ...]) -> Path:
        header = self._header
        folder = self._capture.path
        stored = [each for each in header.variables if each.argument in self._values]
        variables = {each.tensor.key: self._values[each.argument] for each in stored}
        given = self._capture.tensors_of(arguments)
        batch = {each.tensor.key: given[each.tensor.name] for each in arguments if each.tensor.key}
        own = {HEADER_FILE, BATCH_FILE, VARIABLES_FILE}
        files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name not in own}
        place = folder.with_name(f"{folder.name}-step-{header.step + number}")
        try:
            return write_capture(place, self._narrowed(number, arguments), batch, variables, files)
        except OSError as error:
            raise CaptureError(f"{place} can't be written ({error.strerror}); make room, or copy the capture") from None

    def _written(self, bad: StoredVariable) -> TensorDigest | None:
        """The tensor that was written into a variable, None where it was changed otherwise."""
        step = read_library(self._capture).function[0]
        handle = step.signature.input_arg[bad.argument].name
        tensors = {output.tensor: f"{node.name}:{output.slot}" for node in step.node_def for output in fd.outputs(node)}
        value = self._variables[bad.argument].numpy()
        for node in step.node_def:
            if node.op == "AssignVariableOp" and node.input[0] == handle and node.input[1] in tensors:
                return TensorDigest(tensors[node.input[1]], VARIABLE, bad.tensor.name, digest_of(value))
        return None

    def _suspect(self, digest: TensorDigest, bad: StoredVariable) -> Suspect:
        operation, slot = name_and_slot(digest.name)
        target = TrapTarget(operation, slot, VARIABLE, bad.tensor.name)
        return suspect_of(target, Measured(self._variables[bad.argument].numpy()))

    def _narrowed(self, number: int, arguments: tuple[StoredArgument, ...]) -> Header:
        names = set(self.ruined())
        bad = [each for each in self._header.variables if each.tensor.name in names]
        written = [(digest, each) for each in bad if (digest := self._written(each)) is not None]
        trouble = replace(
            self._header.trouble,
            suspects=tuple(self._suspect(digest, each) for digest, each in written) or self._header.trouble.suspects,
            tested=tuple(digest for digest, _ in written),
        )
        return replace(
            self._header,
            id=f"{self._header.id}-{number}",
            step=self._header.step + number,
            arguments=arguments,
            later=(),
            origins=dict(enumerate(self._header.later_origins, 1)).get(number, () if number else self._header.origins),
            later_origins=(),
            trouble=trouble,
            extra={**self._header.extra, SERIES: self._header.id},
        )
