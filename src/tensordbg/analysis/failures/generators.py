"""An error in a generator of the program's that a dataset asks for elements: told as that of the generator's line.

TensorFlow asks it by an operation of its own, whose only input is the number of the iterator. That operation stands at
the `yield`, where elements are handed out; what raised is often another line. A generator is asked for one element
after the other, so it is the first call that gave nothing; a later one is told that the generator has ended.
"""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.failures.in_python import raised_in_python
from tensordbg.analysis.failures.pipeline import FailedElement
from tensordbg.analysis.finding import Beginning, ProgramFailure
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import NONE
from tensordbg.operations.pipeline_names import ASKS_GENERATOR


def as_of_generator(failure: ProgramFailure, failed: FailedElement, locations: Locations) -> ProgramFailure:
    """The failure with the line and the function of the generator, where it is of one; else as it is."""
    function = failed.past.values.program.functions.get(failed.site.function)
    own = [line for line in failure.stack if line.user]
    if function is None or ASKS_GENERATOR not in function.name or not own:
        return failure
    raised = next((each.source for each in raised_in_python(failure.message, locations)), None)
    count = failed.call
    asked = f"{own[-1].function}() had been asked for {count:,} element{'s' * (count != 1)} before"
    told = [] if count == NONE else [Beginning("element", "", "", "", asked, None)]
    return replace(
        failure,
        function=own[-1].function,
        source=failure.source if raised is None else raised,
        inputs=(),
        beginnings=(*(each for each in failure.beginnings if each.what != "element"), *told),
    )
