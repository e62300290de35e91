"""The import of a framework is noticed, and leaves the framework as it is."""

from __future__ import annotations

import importlib
import importlib.resources
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.recording.imports import ImportWatch


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a package that was not imported yet."""
    folder = tmp_path / "framework_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("from framework_of_a_test.part import VALUE\n")
    (folder / "part.py").write_text("VALUE = 7\n")
    (folder / "data.txt").write_text("data")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder.name
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def test_calls_back_once_the_module_is_whole(package: str) -> None:
    seen = []
    watch = ImportWatch({package: lambda: seen.append(sys.modules[package].VALUE)})
    watch.start()
    try:
        assert seen == []
        importlib.import_module(package)
        importlib.import_module(f"{package}.part")
        assert seen == [7]
    finally:
        watch.stop()


def test_calls_back_at_once_for_what_is_imported(package: str) -> None:
    importlib.import_module(package)
    seen = []
    watch = ImportWatch({package: lambda: seen.append(package)})
    watch.start()
    watch.stop()
    assert seen == [package]


def test_the_module_is_as_without_us(package: str) -> None:
    watch = ImportWatch({package: lambda: None})
    watch.start()
    try:
        module = importlib.import_module(package)
    finally:
        watch.stop()
    assert type(module.__loader__).__name__ == type(module.__spec__.loader).__name__ == "SourceFileLoader"
    assert importlib.resources.files(package).joinpath("data.txt").read_text() == "data"


def test_a_module_that_does_not_exist_raises_as_ever() -> None:
    watch = ImportWatch({"no_such_framework": lambda: None})
    watch.start()
    try:
        with pytest.raises(ModuleNotFoundError, match="no_such_framework"):
            importlib.import_module("no_such_framework")
    finally:
        watch.stop()


def test_nothing_is_watched_after_the_end(package: str) -> None:
    seen: list[str] = []
    watch = ImportWatch({package: lambda: seen.append(package)})
    watch.start()
    watch.stop()
    importlib.import_module(package)
    assert seen == []


def test_it_may_be_looked_for_before_it_is_imported(package: str) -> None:
    seen: list[str] = []
    watch = ImportWatch({package: lambda: seen.append(package)})
    watch.start()
    try:
        assert importlib.util.find_spec(package) is not None
        assert seen == []
        importlib.import_module(package)
    finally:
        watch.stop()
    assert seen == [package]
