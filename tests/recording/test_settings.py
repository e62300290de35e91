"""The settings of the nearest pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.allowed import AllowRule
from tensordbg.errors import UsageError
from tensordbg.recording.settings import Settings, settings_above


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "package" / "part"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tensordbg]\nallow = [{op = "SelectV2"}, {line = "a.py:3", nan = true}]\n'
    )
    assert settings_above(inner) == Settings((AllowRule(op="SelectV2"), AllowRule(line="a.py:3", nan=True)))
    (tmp_path / "package" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert settings_above(inner) == Settings()


@pytest.mark.parametrize("text", ["no [ toml", "tool = 3\n", "[tool]\n"])
def test_a_file_that_says_nothing_to_us(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert settings_above(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[tool]\ntensordbg = 3\n", "[tool.tensordbg] is 3, but must be a table; write its keys below the heading"),
        ("[tool.tensordbg]\nalow = []\n", "[tool.tensordbg] has the key 'alow', but knows only allow; take it out"),
        (
            "[tool.tensordbg]\nallow = [3]\n",
            "[tool.tensordbg] allow[0] is 3, but a rule is a table with op, name or line",
        ),
    ],
)
def test_what_is_not_understood(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        settings_above(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / 'pyproject.toml'}: {error}")
