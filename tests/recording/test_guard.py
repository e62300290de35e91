"""Faults of ours are handed over; what is meant for the program passes."""

from __future__ import annotations

import pytest

from tensordbg.recording.guard import guarded


def test_a_fault_is_handed_over() -> None:
    told: list[tuple[str, BaseException]] = []
    error = ValueError("ours")
    with guarded("measuring", lambda what, fault: told.append((what, fault))):
        raise error
    assert told == [("measuring", error)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_the_programs_passes(error: type[BaseException]) -> None:
    told: list[str] = []
    with pytest.raises(error), guarded("measuring", lambda what, _: told.append(what)):
        raise error
    assert not told
