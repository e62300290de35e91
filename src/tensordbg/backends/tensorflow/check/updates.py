"""Which update of a variable is to blame where a check finds the variable bad as it is read.

An update, such as `ResourceApplyAdam`, puts out nothing, so that what it wrote is first seen by the next operation that
reads the variable, or by ours that reads what the update keeps of its gradients. Whatever else could have written a bad
number has been checked before: gradients where they were made, and what the program assigns. It is asked when a check
has found something, so nothing is noted before.
"""

from __future__ import annotations

from tensordbg.backends.tensorflow.check.forward_operations import ForwardOperations
from tensordbg.backends.tensorflow.functions.slots import SLOT_SITE, slots_kept
from tensordbg.backends.tensorflow.sessions.graph import RunKey, upstream
from tensordbg.backends.tensorflow.variables import READERS, writes
from tensordbg.checking.finding import Culprit
from tensordbg.model import Site
from tensordbg.recording.catalog import Catalog

_PLAIN = frozenset(
    {"AssignVariableOp", "ResourceScatterUpdate", "ResourceScatterNdUpdate", "ResourceStridedSliceAssign"}
)
"""They write what they are given, which nobody may have checked: an argument, say."""


def updates(op_type: str) -> bool:
    """Whether an operation of this type makes a variable's new value of its old one."""
    return writes(op_type) and op_type not in _PLAIN


class Updates:
    """Finds them."""

    def __init__(self, catalog: Catalog, operations: ForwardOperations) -> None:
        """`operations` knows the Python graphs."""
        self._catalog = catalog
        self._operations = operations

    def behind(self, reading: Site, was_finite: bool) -> Culprit | None:
        """The update that made a variable bad.

        Args:
            reading: The operation that reads it.
            was_finite: Whether it found it finite in an earlier run.

        Returns:
            None where it is no reader, where several lines write the variable, or where no update need have run since.
        """
        keeping = self._update_that_keeps(reading)
        if keeping is not None:
            return self._culprit(keeping)
        if reading.op_type not in READERS or len(reading.reads) != 1:
            return None
        writers = self._catalog.sites_that_write(reading.reads[0])
        if not writers or not all(updates(writer.op_type) for writer in writers):
            return None
        found = {self._culprit(writer) for writer in writers}
        if len({culprit.place for culprit in found}) != 1:
            return None
        if not was_finite and not any(self._runs_before(writer, reading) for writer in writers):
            return None
        return min(found, key=lambda culprit: culprit.name)

    def _update_that_keeps(self, reading: Site) -> Site | None:
        """The update behind which ours reads a slot; its site is named after it."""
        name = reading.name.rpartition(SLOT_SITE)[0]
        named = self._catalog.sites_named([name] if name else [])
        return next(
            (s for s in named if (s.function, s.name) == (reading.function, name) and slots_kept(s.op_type).names), None
        )

    def _culprit(self, writer: Site) -> Culprit:
        return Culprit(writer.op_type, writer.name, self._catalog.frames(writer.stack))

    def _runs_before(self, writer: Site, reading: Site) -> bool:
        """Whether the runtime must have run one operation of a graph before another of the same."""
        wanted, start = self._operations.operation_of(writer), self._operations.operation_of(reading)
        if wanted is None or start is None or wanted.graph is not start.graph:
            return False
        return wanted in upstream(start.graph, RunKey((), (), (start.name,)))
