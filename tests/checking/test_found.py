from __future__ import annotations

from tensordbg.checking.found import CheckFound


def test_lines() -> None:
    found = CheckFound('output 0 of graph op "Log" (# of outputs: 1)', (("-Inf", 2), ("NaN", 1)), "a.py (L5) f: log(x)")
    assert found.lines == (
        'tdbg: Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1): 2 -Inf, 1 NaN\n'
        "tdbg: at a.py (L5) f: log(x)\n"
    )


def test_what_is_by_design_may_be_let_pass() -> None:
    found = CheckFound("output 0 of op", (("Inf", 1),), "a.py (L5) f: x / y", 'allow = [{line = "a.py:5"}]')
    assert found.lines.splitlines()[2:] == ['tdbg: if it is meant, let it pass with allow = [{line = "a.py:5"}]']


def test_without_a_line_of_the_programs_own() -> None:
    assert CheckFound("output 0 of op", (("Inf", 1),), "").lines == "tdbg: Infinity or NaN in output 0 of op: 1 Inf\n"
