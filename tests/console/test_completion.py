from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tests.console.recorded import console_on, program_of


def candidates(console: Console, line: str) -> tuple[int, tuple[str, ...]]:
    found = console.complete(line, len(line))
    return found.begin, found.candidates


@pytest.mark.parametrize(
    ("line", "begin", "first"),
    [
        ("list_t", 0, "list_tensors"),
        ("pt Soft", 3, "Softmax:0"),
        ("pt Log:0 --num", 9, "--number"),
        ("ni Soft", 3, "Softmax"),
        ("lt -f has", 6, "has_inf_or_nan"),
        ("run -f non", 7, "non_finite"),
        ("lt -s dump", 6, "dump_size"),
        ("ev np.abs(`Soft", 11, "Softmax:0`"),
        ("pf x", 3, "x:0"),
        ("config set mou", 11, "mouse_mode"),
        ("help lis", 5, "list_tensors"),
        ("graph train_s", 6, "train_step"),
        ("b -u train_s", 5, "train_step"),
        ("lt -t Softm", 6, "Softmax"),
    ],
)
def test_the_word_at_the_cursor_is_completed(standing: Console, line: str, begin: int, first: str) -> None:
    found = candidates(standing, line)
    assert found[0] == begin
    assert found[1][0] == first


def test_files_are_completed_also_by_their_end(standing: Console, trained: Path) -> None:
    assert candidates(standing, "ps train")[1] == (str(program_of(trained)),)


def test_an_empty_line_offers_the_commands(standing: Console) -> None:
    assert candidates(standing, "")[1][:2] == ("run", "step")


@pytest.mark.parametrize("line", ["/Lo", "@[0", "nonsense Lo", "ver x"])
def test_where_nothing_is_known_nothing_is_offered(standing: Console, line: str) -> None:
    assert candidates(standing, line)[1] == ()


def test_the_cursor_may_stand_within_the_line(standing: Console) -> None:
    assert standing.complete("pt Soft -s", 7).candidates == ("Softmax:0",)


def test_a_trace_that_is_gone_offers_no_tensors(tmp_path: Path) -> None:
    assert candidates(console_on(tmp_path / "nothing"), "pt L")[1] == ()
