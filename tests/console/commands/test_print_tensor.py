from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import LOG_LINE, answer, text


def test_the_elements_are_shown_with_what_the_tensor_is(standing: Console) -> None:
    page = standing.answer("pt Log:0").page
    assert page is not None
    said = text(standing, "pt Log:0")
    assert 'Tensor "Log:0":' in said
    assert "dtype: float32" in said
    assert "shape: (32, 4)" in said
    assert "-inf," in said
    assert page.place is not None
    assert page.place.line == LOG_LINE
    assert page.mood == "bad"


def test_infinities_can_be_found_in_it(standing: Console) -> None:
    standing.answer("pt Log:0")
    page = standing.answer("/inf").page
    assert page is not None
    assert page.found is not None
    assert "inf" in "".join(span.text for span in page.lines(page.start, page.start + 1)[0])


def test_a_slice_is_taken_as_numpy_does(standing: Console) -> None:
    whole = standing.opened.value(next(iter(standing.scope().narrow(_events(standing, "Softmax")))))
    assert (
        answer(standing, "pt Softmax:0[-1, ...] -p 3")[-1] == "[" + ", ".join(f"{each:.3f}" for each in whole[-1]) + "]"
    )
    with pytest.raises(UsageError, match=r"no such slice of a tensor of shape \[32, 4\]"):
        standing.answer("pt Softmax:0[40]")


def _events(console: Console, node: str) -> np.ndarray:
    sites = [number for number, names in console.opened.sites.items() if names.site.name == node]
    return np.flatnonzero(np.isin(console.opened.columns.whole("site"), sites))


def test_ranges_highlight_also_infinities(standing: Console) -> None:
    page = standing.answer("pt Log:0 -r [[-inf,-1000],[1,inf]]").page
    assert page is not None
    marked = [span.text.strip() for line in page.lines(0, len(page)) for span in line if span.style == "highlight"]
    assert marked[0].startswith("Highlighted([-inf,-1000],[1,inf]): ")
    assert set(marked[1:]) == {"-inf"}


def test_the_summary_counts_what_is_there(standing: Console) -> None:
    said = answer(standing, "pt Log:0 -s")
    place = said.index("Numeric summary:")
    assert said[place + 1].split("|")[1].strip() == "-inf"
    assert "total" in said[place + 1]
    assert said[place + 2].split("|")[-2].strip() == "128"


def test_of_several_the_first_bad_one_is_shown_and_others_can_be_chosen(console: Console) -> None:
    assert "step 1 of train_step" in text(console, "pt Log:0")
    assert "step 0 of train_step" in text(console, "pt Log:0 -n 0")
    assert "step 3 of train_step" in text(console, "pt Log:0 -n -1")
    with pytest.raises(UsageError, match="no number 9: there are 4"):
        console.answer("pt Log:0 -n 9")


def test_elements_are_written_and_nothing_is_overwritten(standing: Console, tmp_path: Path) -> None:
    target = tmp_path / "log.npy"
    assert "Saved value to:" in text(standing, f"pt Log:0 -w {target}")
    assert np.isneginf(np.load(target)).any()
    with pytest.raises(UsageError, match="nothing is overwritten"):
        standing.answer(f"pt Log:0 -w {target}")


def test_an_element_is_gone_to(standing: Console) -> None:
    first = standing.answer("pt Log:0").page
    there = standing.answer("@[5, 1]").page
    assert first is not None
    assert there is not None
    assert there.start == len(first) - 32 + 5
    with pytest.raises(UsageError, match=r"no element \[40, 0\] is there"):
        standing.answer("@[40, 0]")


def test_a_variable_is_known_by_its_name(standing: Console) -> None:
    assert "ReadVariableOp:0" in answer(standing, "pt dense/kernel")[0]


def test_a_wrong_name_is_answered_with_the_nearest(standing: Console) -> None:
    with pytest.raises(UsageError, match="no tensor 'Lug:0' was recorded; did you mean 'Log:0'"):
        standing.answer("pt Lug")
    with pytest.raises(UsageError, match="no tensor 'Log:1' was recorded; that node has Log:0"):
        standing.answer("pt Log:1")


def test_what_another_run_computed_is_said_so(standing: Console) -> None:
    with pytest.raises(UsageError, match="OneHot:0 was not computed in run 2; `-x all` looks at the whole trace"):
        standing.answer("pt OneHot:0")


def test_without_elements_the_statistics_are_shown(sample: Path) -> None:
    from tests.console.recorded import console_on

    console = console_on(sample)
    said = text(console, "pt Log:0")
    assert "The elements were not kept: record with --detail values." in said
    assert "Numeric summary:" in said
    with pytest.raises(UsageError, match="the elements of Log:0 were not kept"):
        console.answer("pt Log:0[0]")


def test_the_first_bad_element_is_named_first(console: Console) -> None:
    said = answer(console, "pt Log:0")
    value = console.opened.value(console.answer("pt Log:0").page.event)
    index = np.argwhere(np.isneginf(value))[0].tolist()
    assert said[1] == f"  bad:   first -inf at {index}, {np.isneginf(value).sum()} of {value.size}"
    assert not any(line.startswith("  bad:") for line in answer(console, "pt x:0"))


@pytest.mark.parametrize("look", ["pt Log:0 -n {}", "pt Relu:0 -n {}"])
def test_it_speaks_of_the_step_in_context(console: Console, look: str) -> None:
    for step in (0, 3, 1):
        console.answer(look.format(step))
        for line in ("pt Softmax:0", "ni Log -d", "pt x:0", "li Log", "pt Softmax:0"):
            page = console.answer(line).page
            assert page is not None
            assert page.event is not None
            assert console.opened.row(page.event).step == step, line


def test_number_chooses_against_the_context(console: Console) -> None:
    console.answer("pt Log:0 -n 0")
    assert "step 3 of train_step" in text(console, "pt Softmax:0 -n 3")
