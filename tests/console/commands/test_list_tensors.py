from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer, text


def test_all_tensors_of_the_trace_are_listed_with_their_health(console: Console) -> None:
    title, head, *rows = answer(console, "lt")
    assert title == f"{console.opened.event_count} tensors of the trace:"
    assert head.split()[:4] == ["step", "iteration", "t", "(ms)"]
    assert len(rows) == console.opened.event_count
    assert any("Log" in row and "float32[32, 4]" in row for row in rows)


def test_while_a_program_stands_its_last_run_is_meant(standing: Console) -> None:
    title, head, *rows = answer(standing, "lt")
    assert title == f"{len(rows)} tensors of run 2:"
    assert "step" not in head
    assert answer(standing, "lt -x all")[0] == f"{standing.opened.event_count} tensors of the trace:"


def test_a_filter_leaves_those_that_pass(standing: Console) -> None:
    title, _, *rows = answer(standing, "lt -f has_inf_or_nan")
    assert title == f'{len(rows)} tensors of run 2 passing filter "has_inf_or_nan":'
    assert any(" Log:0 " in row for row in rows)
    page = standing.answer("lt -f has_inf_or_nan").page
    assert page is not None
    assert page.mood == "bad"


def test_nothing_that_passes_is_said_so(standing: Console) -> None:
    assert answer(standing, "lt -f 'Log : min > 0'") == ['0 tensors of run 2 passing filter "Log : min > 0".']


def test_nodes_can_be_left_out_of_a_filter(standing: Console) -> None:
    rows = answer(standing, "lt -f non_finite -fenn .*Log|gradient")[2:]
    assert rows
    assert not any("Log:0" in row or "gradient" in row for row in rows)
    with pytest.raises(UsageError, match="give the filter with -f too"):
        standing.answer("lt -fenn Log")


def test_names_types_and_a_search_narrow_the_list(standing: Console) -> None:
    assert len(answer(standing, "lt -n Log$")) == 3
    assert len(answer(standing, "lt -t Softmax")) == 3
    assert len(answer(standing, "lt op:Softmax")) == 3
    assert len(answer(standing, "lt -n Lo -t Softmax")) == 1


def test_the_order_can_be_chosen_and_turned_round(standing: Console) -> None:
    sizes = [
        int(row.split("]", 1)[1].split()[0].replace(",", "")) for row in answer(standing, "lt -s dump_size -r")[2:]
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    with pytest.raises(UsageError, match=r"can't sort by 'dump_siz'; did you mean 'dump_size'?"):
        standing.answer("lt -s dump_siz")


def test_headings_sort_and_names_lead_on(standing: Console) -> None:
    page = standing.answer("lt -f non_finite -n Log$").page
    assert page is not None
    head, first = page.lines(0, 2)
    assert "lt -f non_finite -n Log$ -x 2 -s dump_size" in [span.command for span in head]
    commands = [span.command for span in first if span.command]
    assert commands == ["ni Log", "pt Log:0"]
    assert "Log" in text(standing, commands[1])


def test_where_a_name_means_several_tensors_the_link_says_which(console: Console) -> None:
    page = console.answer("lt -n Log$").page
    assert page is not None
    shown = [span.command for line in page.lines(1, 5) for span in line if span.command.startswith("pt")]
    assert len(set(shown)) == 4
    assert all(" -e " in command for command in shown)


def test_an_answer_goes_to_a_file(standing: Console, tmp_path: Path) -> None:
    target = tmp_path / "tensors.txt"
    assert "Wrote output to" in text(standing, f"lt > {target}")
    assert target.read_text().splitlines()[0].endswith("tensors of run 2:")
    with pytest.raises(UsageError, match="is there already, and nothing is overwritten"):
        standing.answer(f"lt > {target}")
