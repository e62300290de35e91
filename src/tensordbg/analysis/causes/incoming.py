"""Causes that lie outside of the operation: its value was given, or was in a variable, or is from before the trace."""

from __future__ import annotations

from tensordbg.analysis.causes.case import HALF, Case, Cause, largest_of
from tensordbg.model import NONE, Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import NUMBER
from tensordbg.operations.traits import Trait

_ENOUGH_ROWS = 8
"""Of fewer rows it may be chance that as many elements are NaN as whole columns hold."""


_NUMBERS = HALF | {"complex128", "complex64", "float32", "float64"}
"""Types of numbers that a function computes with; others say which row or file it is to read."""

_BEGINS = {"module": "the first module of the step was called", "step": "the step began"}
"""Where what a replayed step did begins to be noted, by how came what it took."""


def bad_elements(health: Health) -> str:
    """`2 NaN and 1 +inf among its 640 elements`."""
    counts = [(health.nan, "NaN"), (health.pos_inf, "+inf"), (health.neg_inf, "-inf")]
    # A damaged record may say that something is bad, and not what.
    words = [f"{count:,} {name}" for count, name in counts if count] or ["what is not finite"]
    if health.size == 1:
        return words[0].removeprefix("1 ")
    return (
        " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
        + f" among {health.size:,} elements"
    )


def _bad_variable(case: Case) -> bool:
    return (case.read and not case.written) or (case.given and case.feeds_variable) or _is_put_into_weights(case)


def _is_put_into_weights(case: Case) -> bool:
    """Whether it is a number of Python's, to which a part of what is trained was set."""
    return case.op_type == NUMBER and case.feeds_trained


def _explain_variable(case: Case) -> str:
    name = f"The variable {case.variable}" if case.variable else "The variable"
    if case.given or _is_put_into_weights(case):
        return f"{name} was given a value that holds {bad_elements(case.output)}{_first_of_table(case)}."
    if case.last_finite is not None:
        return (
            f"{name} held {bad_elements(case.output)} when it was read in step {case.view.step}. In step "
            f"{case.last_finite.step}, the last before it that was recorded, it was finite: it was ruined in between, "
            "in what was not recorded."
        )
    return f"{name} held {bad_elements(case.output)} when it was read, and no recorded write had put that there."


def _first_of_table(case: Case) -> str:
    """`; the first is in row 17, at [17, 2]`, of a matrix or a table."""
    index = case.first_bad_index
    return f"; the first is in row {index[0]}, at {list(index)}" if index and len(index) > 1 else ""


def _fix_variable(case: Case) -> str:
    if case.given or _is_put_into_weights(case):
        return case.fix("bad_variable", "given")
    return case.fix("bad_variable", "between_recorded_steps" if case.last_finite is not None else "")


def _is_of_python(case: Case) -> bool:
    """Whether a Python function that a graph calls gave it, of finite numbers: a path or an index tells nothing."""
    recorded = [given.recorded for given in case.inputs]
    numbers = any(given is not None and given.dtype in _NUMBERS for given in recorded)
    finite = all(given is not None and given.health is not None and not given.health.non_finite for given in recorded)
    return case.given and case.operation.has(Trait.CALLS_PYTHON) and numbers and finite


def _explain_of_python(case: Case) -> str:
    given = " and ".join(each.tensor for each in case.inputs)
    return (
        f"The Python function behind {case.view.tensor} gave {bad_elements(case.output)}{_first_of(case)}; "
        f"what it was given, {given}, was finite."
    )


def _explain_input(case: Case) -> str:
    if _is_of_python(case):
        return _explain_of_python(case)
    by = ", as the loader of the data gave it" if case.came == "loader" else ""
    return f"{case.view.tensor} came in from outside with {bad_elements(case.output)}{_first_of(case)}{by}."


def _first_of(case: Case) -> str:
    """`; the first is in row 3 of the batch, at [3, 2]`."""
    index = case.first_bad_index
    if case.table:
        return f"; the first is in row {index[0]} of the table, at {list(index)}" if index else ""
    # In a function of an input pipeline, which no execution runs, it may be one element that is in no batch yet.
    in_row = "" if case.view.execution == NONE or not index else f"in row {index[0]} of the batch, "
    row = f"; the first is {in_row}at {list(index)}" if index else ""
    columns = _whole_columns(case)
    if columns:
        row += f", and there are as many as {columns} whole column{'s' * (columns > 1)} hold"
    return row


def _whole_columns(case: Case) -> int:
    """How many columns are NaN throughout, if all NaNs are in such; 0 where that is unlikely."""
    shape, index, nan = case.view.shape, case.first_bad_index, case.output.nan
    if not shape or len(shape) < 2 or not index or index[0] != 0 or case.output.non_finite != nan:
        return 0
    return nan // shape[0] if shape[0] >= _ENOUGH_ROWS and nan % shape[0] == 0 else 0


def _fix_input(case: Case) -> str:
    if case.table:
        return case.fix("bad_variable", "given")
    known = "python" if _is_of_python(case) else "columns" if _whole_columns(case) else ""
    return case.fix("bad_input_data", known)


def _is_before_step(case: Case) -> bool:
    return case.given and case.came in _BEGINS


def _explain_before_step(case: Case) -> str:
    return (
        f"{case.view.tensor} held {bad_elements(case.output)} before {_BEGINS[case.came]}{_first_of(case)}. Whether "
        "the data came so or the program computed it from good data is not known: what ran before was not noted."
    )


def _fix_before_step(case: Case) -> str:
    return case.fix("bad_before_step", "columns" if _whole_columns(case) else "")


def _explain_constant(case: Case) -> str:
    return f"The program itself holds this constant, with {bad_elements(case.output)}{_first_of_table(case)}."


def _fix_constant(case: Case) -> str:
    return case.fix("non_finite_constant", "missing" if case.output.nan else "", dtype=case.view.dtype)


def _explain_lost(case: Case) -> str:
    return (
        f"{case.view.tensor} holds {bad_elements(case.output)}, and what it was made from is no longer in the trace, "
        "which keeps only the last events: the trouble began before them."
    )


def _fix_lost(case: Case) -> str:
    return case.fix("before_kept_events")


def _explain_left_out(case: Case) -> str:
    return (
        f"{case.view.tensor} is the first that was recorded with {bad_elements(case.output)}. Of this step the budget "
        "had room for the tensors that matter most alone: what it was made from was not recorded, and the trouble may "
        "have begun in any operation between the recorded ones and it."
    )


def _fix_left_out(case: Case) -> str:
    return case.fix("between_recorded_tensors")


def _explain_back(case: Case) -> str:
    before = case.before
    assert before is not None
    assert before.health is not None
    into = f"The variable {case.variable} was given" if case.feeds_variable and case.variable else "There came in"
    return (
        f"{into} a value from Python with {bad_elements(case.output)}. Python already held {before.tensor} of "
        f"{before.function or 'eager code'}, step {before.step}, with {bad_elements(before.health)}, and by the shapes "
        "this was likely made from it."
    )


def _fix_back(case: Case) -> str:
    return case.fix("returned_from_python", name=case.before.tensor if case.before is not None else "")


def _is_handed_on(case: Case) -> bool:
    return not case.written and (case.operation.has(Trait.MOVES) or _widens(case))


def _widens(case: Case) -> bool:
    """Whether it is a cast to a type that holds larger numbers than the type before."""
    before = case.inputs[0].recorded if case.operation.kind is Kind.CAST and case.inputs else None
    return before is not None and largest_of(before.dtype) < case.largest


def _explain_unseen(case: Case) -> str:
    unseen = [f"{given.tensor} ({given.op_type})" for given in case.inputs if given.recorded is None]
    why = (
        f"what {' and '.join(unseen)} held was not recorded"
        if unseen
        else "those that were recorded of its inputs are finite"
    )
    return (
        f"{case.op_type} only hands on what it is given, so that {bad_elements(case.output)} of {case.view.tensor} "
        f"were made before it, by something that was not seen: {why}."
    )


def _fix_unseen(case: Case) -> str:
    return case.fix("source_not_seen", name=case.view.tensor)


CAUSES = (
    Cause("before_kept_events", lambda case: case.lost, _explain_lost, _fix_lost),
    Cause("between_recorded_tensors", lambda case: case.left_out, _explain_left_out, _fix_left_out),
    Cause("returned_from_python", lambda case: case.before is not None, _explain_back, _fix_back),
    Cause("bad_variable", _bad_variable, _explain_variable, _fix_variable),
    Cause("bad_before_step", _is_before_step, _explain_before_step, _fix_before_step),
    Cause("bad_input_data", lambda case: case.given and case.came != "processes", _explain_input, _fix_input),
    Cause("source_not_seen", _is_handed_on, _explain_unseen, _fix_unseen),
    Cause("non_finite_constant", lambda case: case.operation.kind is Kind.CONSTANT, _explain_constant, _fix_constant),
)
