from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.settings import (
    Settings,
    changed,
    lines_file,
    read_settings,
    settings_file,
    write_settings,
)
from tensordbg.errors import UsageError


def test_what_was_set_is_read_again(tmp_path: Path) -> None:
    settings = changed(changed(Settings(), "mouse_mode", "off"), "elements", "50")
    write_settings(tmp_path / "a" / "b.json", settings)
    assert read_settings(tmp_path / "a" / "b.json") == settings == Settings(mouse_mode=False, elements=50)


@pytest.mark.parametrize("text", ["", "[]", '{"elements": "many", "mouse_mode": 3, "other": 1}', "{"])
def test_what_is_not_understood_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    assert read_settings(tmp_path / "file") == Settings()
    assert read_settings(tmp_path / "none") == Settings()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("colour", "on", "no setting 'colour'; choose one of graph_recursion_depth, mouse_mode, elements"),
        ("mouse_mode", "maybe", "set it to on or off"),
        ("elements", "0", "set it to a whole number from 1"),
        ("elements", "-3", "set it to a whole number from 1"),
    ],
)
def test_what_can_not_be_set_is_refused(name: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        changed(Settings(), name, value)


def test_a_file_that_can_not_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="the setting holds for this session only"):
        write_settings(tmp_path / "file" / "below.json", Settings())


def test_files_are_where_the_system_has_them() -> None:
    assert settings_file({"HOME": "/own"}) == Path("/own/.config/tensordbg/console.json")
    assert lines_file({"HOME": "/own"}) == Path("/own/.local/state/tensordbg/console_history")
    assert lines_file({"HOME": "/x", "XDG_STATE_HOME": "/state"}) == Path("/state/tensordbg/console_history")
