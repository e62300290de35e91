"""What users read of what a backend can't do."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from tensordbg.recording import support
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
    missing = Unsupported("its runs can't be stopped", "record it with `tdbg run`")
    backend = replace(backend_of("torch"), debug=missing)
    assert DEBUG.refusal(backend, missing) == (
        "`tdbg debug` can't be used with PyTorch: its runs can't be stopped; record it with `tdbg run`"
    )


def test_an_ability_is_offered_by_those_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without = replace(backend_of("torch"), debug=Unsupported("its runs can't be stopped", "record it"))
    monkeypatch.setattr(support, "backends", lambda: (backend_of("tensorflow"), without))
    assert [backend.title for backend, _ in RECORD.offers()] == ["TensorFlow", "PyTorch"]
    assert [backend.title for backend, _ in DEBUG.offers()] == ["TensorFlow"]
