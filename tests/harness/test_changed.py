"""Which tests `make check` runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests import changed
from tests.changed import importers, module_of, nearest, pytest_runtest_setup


def test_the_tests_of_a_module_come_first_then_those_of_what_imports_it() -> None:
    found = nearest({"src/tensordbg/trace/sealed/seal.py"}, importers())
    assert found[0] == "tests/trace/sealed/test_seal.py"
    assert found.index("tests/trace/test_reader.py") < found.index("tests/cli/commands/test_why.py")
    assert not any(file.startswith(("tests/e2e/", "tests/fuzz/")) for file in found)
    assert nearest({"docs/index.md"}, importers()) == []


def test_tests_that_have_changed_themselves_run_wherever_they_are() -> None:
    assert nearest({"tests/e2e/test_pdb.py", "README.md"}, {}) == ["tests/e2e/test_pdb.py"]
    assert nearest({"tests/e2e/test_is_gone.py"}, {}) == []


def test_imports_in_functions_and_of_helpers_count() -> None:
    imported_by = importers()
    assert "src/tensordbg/cli/running/supervise.py" in imported_by["src/tensordbg/cli/running/summary.py"], (
        "it imports it when needed"
    )
    assert "tests/harness/test_changed.py" in imported_by["tests/changed.py"]
    assert module_of(Path("src/tensordbg/trace/__init__.py")) == "tensordbg.trace"


def test_what_differs_from_a_commit_is_told_with_new_files(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"diff": ["src/tensordbg/model.py"], "ls-files": ["tests/test_new.py"]}
    monkeypatch.setattr(changed, "_git", lambda word, *_: said[word])
    assert changed.changed("main") == {"src/tensordbg/model.py", "tests/test_new.py"}


def test_no_test_starts_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(changed.UNTIL, str(time.time() + 1000))
    pytest_runtest_setup()
    monkeypatch.setenv(changed.UNTIL, str(time.time() - 1000))
    with pytest.raises(pytest.skip.Exception, match="no time is left"):
        pytest_runtest_setup()
