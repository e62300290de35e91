"""Which operation an exception comes from, whatever was made of it on its way."""

from __future__ import annotations

from tensordbg.recording.failure import FailedOperation, failure_behind, note_failure


def failed(name: str = "MatMul") -> BaseException:
    error = RuntimeError(name)
    note_failure(error, lambda last: FailedOperation(type(last).__name__, name))
    return error


def after(first: BaseException, *, hidden: bool = False) -> BaseException:
    """Another exception, raised while one is handled."""
    error = LookupError("another")
    error.__context__, error.__suppress_context__ = first, hidden
    return error


def test_an_exception_tells_its_operation() -> None:
    assert failure_behind(failed()) == FailedOperation("RuntimeError", "MatMul")
    assert failure_behind(ValueError("of the program's own")) is None


def test_one_that_was_raised_for_it_tells_it_under_its_own_name() -> None:
    assert failure_behind(after(failed())) == FailedOperation("LookupError", "MatMul")


def test_one_that_the_program_hides_is_not_told() -> None:
    assert failure_behind(after(failed(), hidden=True)) is None


def test_one_that_a_framework_hides_behind_its_own_is_told() -> None:
    theirs = type("InvalidArgumentError", (Exception,), {"__module__": "tensorflow.python.framework.errors_impl"})("no")
    theirs.__context__, theirs.__suppress_context__ = failed(), True
    assert failure_behind(theirs) == FailedOperation("InvalidArgumentError", "MatMul")


def test_the_first_to_note_it_counts() -> None:
    error = failed("Gather")
    note_failure(error, lambda last: FailedOperation("", "the call around it"))
    told = failure_behind(error)
    assert told is not None
    assert told.message == "Gather"


def test_exceptions_in_a_ring_come_to_an_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__context__, second.__context__ = second, first
    assert failure_behind(first) is None
