from __future__ import annotations

from tensordbg.engines.engine import one_line


def test_an_error_is_told_in_one_short_line() -> None:
    assert one_line(OSError("no\nroute  to host")) == "OSError: no route to host"
    assert one_line(TimeoutError()) == "TimeoutError"
    assert len(one_line(ValueError("x" * 1000))) == 212
