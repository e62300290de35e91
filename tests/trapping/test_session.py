"""`tensordbg.trap` in a program, without any framework; with TensorFlow see tests/backends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

import tensordbg
from tensordbg.recording.backend import Unsupported, backend_of
from tensordbg.trapping import session as trap_session
from tensordbg.trapping.plan import OnBad, TrapPlan


class Framework:
    def __init__(self, plan: TrapPlan) -> None:
        self.plan = plan
        self.captures = [plan.folder / "step-1"]
        self.set = True
        self.steps: list[tuple[object, str]] = []

    @contextlib.contextmanager
    def step(self, batch: object, frame: FrameType) -> Iterator[None]:
        self.steps.append((batch, frame.f_code.co_name))
        yield
        self.steps.append((batch, "end"))

    def stop(self) -> None:
        self.set = False


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Framework]:
    """The traps of a framework that has been imported already."""
    made: list[Framework] = []

    class Traps:
        def start(self, plan: TrapPlan) -> Framework:
            made.append(Framework(plan))
            return made[-1]

        def start_asked(self, plan: TrapPlan) -> Framework:
            raise NotImplementedError

    backend = replace(backend_of("tensorflow"), framework="json", trap=Traps())  # type: ignore[arg-type]
    monkeypatch.setattr(trap_session, "backends", lambda: (backend,))
    return made


def test_a_trap_is_set_until_the_block_ends(made: list[Framework], tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path / "a" / "captures", "skip", most=3) as trap:
        (framework,) = made
        assert framework.plan == TrapPlan(tmp_path / "a" / "captures", OnBad.SKIP, most=3)
        assert framework.set
        assert (tmp_path / "a" / "captures").is_dir()
    assert not framework.set
    assert trap.captures == [tmp_path / "a" / "captures" / "step-1"]


def test_a_framework_whose_steps_are_not_trapped_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    backend = replace(backend_of("torch"), framework="json", trap=Unsupported("it runs on", "record it"))
    monkeypatch.setattr(trap_session, "backends", lambda: (backend,))
    with tensordbg.trap(tmp_path) as trap:
        assert trap.captures == []
    assert capsys.readouterr().err.startswith("tdbg: warning: `tdbg trap` can't be used with PyTorch: ")


def test_a_trap_can_be_taken_away(made: list[Framework], tmp_path: Path) -> None:
    trap = tensordbg.trap(tmp_path)
    assert made[0].set
    trap.stop()
    assert not made[0].set


def test_a_step_is_marked_where_the_program_says_so(made: list[Framework], tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path) as trap, trap.step((1, 2)):
        assert made[0].steps == [((1, 2), "test_a_step_is_marked_where_the_program_says_so")]
    assert made[0].steps[1:] == [((1, 2), "end")]


def test_an_option_that_there_is_not_is_named(made: list[Framework], tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'mots'"):
        tensordbg.trap(tmp_path, mots=3)  # type: ignore[call-arg]


def test_what_can_not_be_done_is_refused(made: list[Framework], tmp_path: Path) -> None:
    with pytest.raises(tensordbg.UsageError, match="on_bad is 'halt', but must be one of stop, skip, record"):
        tensordbg.trap(tmp_path, "halt")
    (tmp_path / "file").write_text("")
    with pytest.raises(tensordbg.RecordingError, match=r"no captures can be kept here .*; give another folder"):
        tensordbg.trap(tmp_path / "file")
    assert made == []
