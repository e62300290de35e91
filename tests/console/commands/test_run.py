from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.running import Go, GoKind, Recorded
from tensordbg.errors import UsageError


def go(console: Console, line: str) -> Go:
    found = console.answer(line).go
    assert found is not None
    return found


def test_how_to_go_on_is_handed_out(standing: Console) -> None:
    assert go(standing, "run") == Go(GoKind.RUN)
    assert go(standing, "r -t 3") == Go(GoKind.RUN, times=3)
    assert go(standing, "run -n") == Go(GoKind.RUN, recorded=None)
    narrowed = go(standing, "run --node_name_filter Log --op_type_filter Ma.* --tensor_dtype_filter float")
    assert narrowed.recorded == Recorded("Log", "Ma.*", "float")


def test_a_filter_is_read_before_the_program_goes_on(standing: Console) -> None:
    wanted = go(standing, "run -f 'Log* : min < 0' -fenn .*gradient")
    assert wanted.till is not None
    assert (wanted.till.text, wanted.exclude) == ("Log* : min < 0", ".*gradient")
    with pytest.raises(UsageError, match=r"no filter 'has_inf_or_nam'; did you mean 'has_inf_or_nan'?"):
        standing.answer("run -f has_inf_or_nam")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run -n -f nan", "a filter needs the tensors that -n does not record"),
        ("run -t 2 -f nan", "-t says when to stop and so does -f"),
        ("run -fenn Log", "give the filter with -f too"),
        ("run -t 0", "0 is not in the range"),
        ("run --tims 2", "no such option '--tims' of run; did you mean"),
    ],
)
def test_what_does_not_go_together_is_refused(standing: Console, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        standing.answer(line)


def test_on_a_trace_there_is_nothing_to_run(console: Console) -> None:
    with pytest.raises(UsageError, match="no program stands still here, as this is a trace"):
        console.answer("run")
