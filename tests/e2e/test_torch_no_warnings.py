"""Real PyTorch training that goes well: `why` has nothing to warn of, whatever the model and the optimizer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

import tensordbg  # noqa: E402
from tensordbg.wire.why import why_to_json  # noqa: E402
from tests.e2e.healthy_torch.registry import PROGRAMS, Program  # noqa: E402

for module in ("models", "modes", "ways"):
    import_module(f"tests.e2e.healthy_torch.{module}")

FALSE: dict[str, list[str]] = {}
"""The warnings that are known to be wrong: one in thirty programs at most."""

HARMLESS = {"actions_that_are_not_allowed": ["non_finite_constant"]}
"""What is not finite by intent, and is told of under what came to nothing."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_nothing_to_warn_of(tmp_path: Path, program: Program) -> None:
    torch.manual_seed(1)
    with tensordbg.record(tmp_path) as recording:
        program()
    answer = why_to_json(tensordbg.open(recording.path).why())
    assert answer["tensor_events"] > 100
    assert [each["cause"] for each in answer["origins"]] == HARMLESS.get(program.__name__, [])
    assert not any(each["consequential"] for each in answer["origins"])
    told = [(each["kind"], each["tensor"], each["variable"], each["explanation"]) for each in answer["warnings"]]
    assert [kind for kind, *_ in told] == FALSE.get(program.__name__, []), told


def test_at_most_one_warning_in_thirty_programs_is_false() -> None:
    names = [program.__name__ for program in PROGRAMS]
    assert len(names) == len(set(names)) >= 30
    assert set(FALSE) <= set(names)
    assert 30 * sum(map(len, FALSE.values())) <= len(names)
