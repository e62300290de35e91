"""What users read of what a backend can't do."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from tensordbg.recording.backend import Backend, Unsupported, backend_of
from tensordbg.recording.support import ABILITIES, DEBUG, RECORD, support_table

MANUAL = Path(__file__).parents[2] / "docs" / "frameworks.md"


def test_the_table_in_the_manual_is_that_of_the_backends() -> None:
    manual = MANUAL.read_text()
    first = manual.index("|")
    assert manual[first : manual.rindex("|") + 2] == support_table()


def test_every_role_is_in_the_table() -> None:
    roles = [each.name for each in fields(Backend)][3:]
    given = Unsupported("a", "b")
    for role in roles:
        without = replace(backend_of("tensorflow"), **{role: given})  # type: ignore[arg-type]
        assert [each.of(without) is given for each in ABILITIES].count(True) == 1, role


def test_a_refusal_gives_the_command_the_reason_and_what_to_do() -> None:
    backend = backend_of("torch")
    assert isinstance(backend.debug, Unsupported)
    assert DEBUG.refusal(backend, backend.debug) == (
        "`tdbg debug` can't be used with PyTorch: its observer looks on, and stops no run; stop it at a line with "
        "`tdbg run --pdb FILE:LINE`, or record it with `tdbg run` and open `tdbg console`"
    )


def test_an_ability_is_offered_by_those_that_have_it() -> None:
    assert [backend.title for backend, _ in RECORD.offers()] == ["TensorFlow", "PyTorch"]
    assert [backend.title for backend, _ in DEBUG.offers()] == ["TensorFlow"]
