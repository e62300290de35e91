from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli import main


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def console(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["console", *map(str, words)])
    return int(ended.value.code or 0)


def test_a_script_is_typed_command_by_command(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert console(sample, "-c", "version; lt -f non_finite") == 0
    out = capsys.readouterr().out
    assert "tdbg> version\ntensordbg " in out
    assert 'passing filter "non_finite":' in out


def test_the_first_command_that_fails_ends_it_with_code_2(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert console(sample, "-c", "versoin; lt") == 2
    said = capsys.readouterr()
    assert said.err == "tdbg: error: no command 'versoin'; did you mean 'version'?\n"
    assert "tdbg> lt" not in said.out


def test_a_file_of_filters_is_known(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text("def named_log(tensor, value):\n    return tensor.op_type == 'Log'\n")
    assert console(sample, "--filters", tmp_path / "own.py", "-c", "lt -f named_log") == 0
    assert 'passing filter "named_log":' in capsys.readouterr().out


def test_a_process_of_several_must_be_chosen(sample_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert console(sample_run, "-c", "ri") == 2
    assert "--process" in capsys.readouterr().err
    assert console(sample_run, "--process", "0", "-c", "ri") == 0
