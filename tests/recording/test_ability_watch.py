"""Where a framework can't do what was asked for, its programs end at once, and no others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.recording import ability_watch, support
from tensordbg.recording.ability_watch import AbilityWatch, RefusedError
from tensordbg.recording.backend import Backend, Check, Unsupported, backend_of
from tensordbg.recording.launch import LaunchedProgram
from tensordbg.recording.support import CHECK

LINE = "`tdbg run --check` can't be used with Lacking: it can't; do without\n"


class Checks:
    def start(self) -> None:
        """Nothing is to be checked."""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Check]]:
    """Runs a program in this process, with one framework that checks and one that doesn't."""
    for name, text in (("able", ""), ("lacking", ""), ("library", "import lacking")):
        (tmp_path / "packages").mkdir(exist_ok=True)
        (tmp_path / "packages" / f"{name}_of_test.py").write_text(text.replace("lacking", "lacking_of_test"))
        monkeypatch.delitem(sys.modules, f"{name}_of_test", raising=False)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    plain = backend_of("tensorflow")
    able, lacking = (
        replace(
            plain, framework=f"{name}_of_test", title=name.title(), modules=frozenset({f"{name}_of_test"}), check=role
        )
        for name, role in (("able", Checks()), ("lacking", Unsupported("it can't", "do without")))
    )

    def both() -> tuple[Backend, ...]:
        return able, lacking

    monkeypatch.setattr(ability_watch, "backends", both)
    monkeypatch.setattr(support, "backends", both)

    def run(*lines: str, after: Callable[[], None] = lambda: None) -> list[Check]:
        script = tmp_path / "script.py"
        script.write_text("\n".join(lines).replace(" able", " able_of_test"))
        started: list[Check] = []
        with AbilityWatch(CHECK, LaunchedProgram(None, str(script), ()), started.append):
            exec(script.read_text(), {})
            after()
        return started

    return run


def test_a_framework_that_can_is_started(program: Callable[..., list[Check]]) -> None:
    assert len(program("import able")) == 1


def test_a_program_of_one_that_cannot_ends_at_its_import(
    program: Callable[..., list[Check]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RefusedError) as ended:
        program("import lacking_of_test", "raise AssertionError")
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"tdbg: error: {LINE}"


@pytest.mark.parametrize(
    "lines", [("import able", "import lacking_of_test"), ("import lacking_of_test", "import able")]
)
def test_a_program_of_both_goes_on_and_is_told(
    program: Callable[..., list[Check]], capsys: pytest.CaptureFixture[str], lines: tuple[str, ...]
) -> None:
    assert len(program(*lines)) == 1
    assert capsys.readouterr().err == f"tdbg: warning: {LINE}"


def test_what_a_library_imports_beside_is_passed_over(
    program: Callable[..., list[Check]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(program("import able", "import library_of_test")) == 1
    assert not capsys.readouterr().err


def test_where_only_a_library_imports_it_the_program_runs_and_ends_with_2(
    program: Callable[..., list[Check]], capsys: pytest.CaptureFixture[str]
) -> None:
    reached: list[int] = []
    with pytest.raises(RefusedError):
        program("import library_of_test", after=lambda: reached.append(1))
    assert reached == [1]
    assert capsys.readouterr().err == f"tdbg: warning: {LINE}"


def test_a_framework_that_never_comes_is_told_at_the_end(
    program: Callable[..., list[Check]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RefusedError):
        program("import library_of_test", "if False:", "    import able")
    assert capsys.readouterr().err == f"tdbg: error: {LINE}"


def test_an_error_of_the_programs_own_stays(program: Callable[..., list[Check]]) -> None:
    with pytest.raises(ZeroDivisionError):
        program("import library_of_test", "1 / 0")
    with pytest.raises(SystemExit) as ended:
        program("import library_of_test", "raise SystemExit(5)")
    assert ended.value.code == 5
