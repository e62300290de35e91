from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.report.saved_page import page
from tests.cli.conftest import Invoke, Said
from tests.report.saved import BUNDLE


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "saved.html"
    path.write_text(BUNDLE, encoding="utf-8")
    monkeypatch.setattr(page, "BUNDLE", path)


def refused(said: Said) -> str:
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    return said.err.removeprefix("tdbg: error: ").rstrip()


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("r.html", "<title>tensordbg</title>"),
        ("r.HTM", "<title>tensordbg</title>"),
        ("r.md", "## "),
        ("r.markdown", "## "),
    ],
)
def test_the_name_says_what_is_written(invoke: Invoke, name: str, begin: str) -> None:
    said = invoke("report", "-o", name)
    assert (said.code, said.out, said.err) == (0, f"{name}\n", "")
    assert Path(name).read_text().startswith(begin)


def test_the_format_says_it_whatever_the_name(invoke: Invoke) -> None:
    assert invoke("report", "-o", "r.txt", "--format", "markdown").code == 0
    assert Path("r.txt").read_text().startswith("## ")


def test_standard_output(invoke: Invoke) -> None:
    said = invoke("report", "-o", "-", "--format", "markdown")
    assert said.code == 0
    assert said.out.startswith("## Nothing that matters went wrong")
    assert not Path("-").exists()


def test_standard_output_has_no_suffix(invoke: Invoke) -> None:
    rule = "-o - has no suffix that says what to write; add --format html or --format markdown"
    assert refused(invoke("report", "-o", "-")) == rule


def test_an_unknown_suffix(invoke: Invoke) -> None:
    rule = "-o r.pdf: ends in none of .html, .htm, .md, .markdown; choose one of them, or say --format"
    assert refused(invoke("report", "-o", "r.pdf")) == rule
    assert not Path("r.pdf").exists()


def test_nothing_is_overwritten_without_force(invoke: Invoke) -> None:
    Path("r.md").write_text("mine")
    rule = "r.md: is there already; choose another FILE, or replace it with --force"
    assert refused(invoke("report", "-o", "r.md")) == rule
    assert Path("r.md").read_text() == "mine"
    assert invoke("report", "-o", "r.md", "--force").code == 0
    assert Path("r.md").read_text().startswith("## ")


def test_a_folder_that_is_not_there(invoke: Invoke) -> None:
    rule = "nowhere/r.md: can't be written: No such file or directory; choose another FILE"
    assert refused(invoke("report", "-o", "nowhere/r.md")) == rule


def test_no_trace(invoke: Invoke) -> None:
    assert refused(invoke("report", "nowhere", "-o", "r.html")).startswith("nowhere: does not exist")
    assert not Path("r.html").exists()


@pytest.mark.parametrize("name", ["r.html", "r.md"])
def test_one_process_of_a_run(invoke: Invoke, sample_run: Path, name: str) -> None:
    assert invoke("report", sample_run.name, "--process", "1", "-o", name).code == 0
    text = Path(name).read_text()
    assert "worker 0" not in text
    assert refused(invoke("report", sample_run.name, "--process", "7", "-o", "other.md")).endswith("worker 0, worker 1")
