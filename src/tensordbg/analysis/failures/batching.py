"""An element of a dataset that fits into no batch: what made its shape, and which element it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.unequal_elements import unequal_element, unequal_shapes
from tensordbg.analysis.failures.beginnings.unpaddable_element import is_unpaddable, unpaddable_element
from tensordbg.analysis.failures.data_elements import Refused, element_of
from tensordbg.analysis.failures.pipeline import pipeline_functions
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.tensors.batch_origins import BatchOrigins
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait


def element_that_fits_no_batch(
    message: str, trace: TraceSource, program: Program, executions: Executions, row: int
) -> tuple[Beginning, ...]:
    """Where the element of a dataset began that did not fit into a batch; nothing for any other message.

    Args:
        message: Of the error.
        trace: Where the program was recorded.
        program: Of the trace.
        executions: Of the trace.
        row: Of the execution that failed, `NONE` where that is not known.
    """
    functions = pipeline_functions(program)
    if unequal_shapes(message) is not None:
        pasts = (RecordedPast(trace, program, executions, each) for each in dict.fromkeys((NONE, row)))
        return next(filter(None, (unequal_element(message, program, functions, past) for past in pasts)), ())
    if not is_unpaddable(message):
        return ()
    past = RecordedPast(trace, program, executions, NONE)
    for asked in _asked_to_pad(trace, program, executions):
        found = unpaddable_element(program, functions, past, asked)
        if found is not None:
            made, beginning = found
            return (beginning, *element_of(BatchOrigins(trace, program), past, Refused(message, [made], [""])))
    return ()


def _asked_to_pad(trace: TraceSource, program: Program, executions: Executions) -> Iterator[Sequence[Made | None]]:
    """What each eager operation was given that made a stage which pads, the last first."""
    pads = {each.site for each in program.sites.values() if operation_of(each).has(Trait.PADS_BATCHES)}
    for row in reversed(range(len(executions.site))):
        number = int(executions.site[row])
        if number in pads and executions.function[row] == NONE:
            yield RecordedPast(trace, program, executions, row).failed_inputs(program.sites[number])
