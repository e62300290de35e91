from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.finding import NOTHING_READ_IT
from tensordbg.analysis.why import why
from tensordbg.model import Health
from tensordbg.testing.judging import complaint, offences
from tensordbg.trace.reader import TraceReader

NAN = Health(size=6, nan=6, first_bad=0)


def test_what_matters_and_a_nan_that_nothing_read_fail_a_test(sample_reader: TraceReader) -> None:
    result = why(sample_reader)
    (infinite,) = result.origins
    nan = replace(infinite, view=replace(infinite.view, health=NAN))
    for origin, wrong in (
        (replace(infinite, reaches=("loss",), caught=""), True),
        (replace(infinite, reaches=(), caught=NOTHING_READ_IT), False),
        (replace(nan, reaches=(), caught=NOTHING_READ_IT), True),
        (replace(nan, reaches=(), caught=""), False),
        (replace(nan, reaches=("loss",), allowed="op = 'Log'"), False),
        (replace(nan, reaches=(), caught=NOTHING_READ_IT, allowed="op = 'Log'"), False),
    ):
        assert bool(offences(replace(result, origins=(origin,)))) is wrong


def test_a_complaint_begins_with_what_is_wrong(sample_reader: TraceReader) -> None:
    told = complaint({"": sample_reader})
    if offences(why(sample_reader)):
        assert told.startswith("Log:0 ")
    else:
        assert told == ""
