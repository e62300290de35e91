from __future__ import annotations

import re

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import LOG_LINE, answer


def test_under_each_line_stands_what_it_made_and_how_that_fared(standing: Console) -> None:
    said = answer(standing, "ps train.py")
    place = next(k for k, line in enumerate(said) if line.startswith(f"L{LOG_LINE} "))
    assert "tf.math.log(probs)" in said[place]
    under = said[place + 1 : place + 5]
    assert any(line.startswith("          Log  Log  float32[32, 4]") and "-inf of 128" in line for line in under)


def test_constants_come_last(standing: Console) -> None:
    said = answer(standing, "ps train.py -m 100")
    under: list[list[str]] = []
    for line in said[1:]:
        if line.startswith("L"):
            under.append([])
        elif len(line.split()) > 1:
            under[-1].append(line.split()[1])
    mixed = [types for types in under if "Const" in types and set(types) != {"Const"}]
    assert mixed
    for types in mixed:
        assert types == sorted(types, key="Const".__eq__)


def test_it_begins_at_a_line_and_shows_so_many_nodes(standing: Console) -> None:
    assert answer(standing, f"ps train.py -b {LOG_LINE}")[1].startswith(f"L{LOG_LINE} ")
    cut = answer(standing, f"ps train.py -b {LOG_LINE} -m 1")
    assert re.fullmatch(r" +\(\.\.\. Omitted (\d) of \d operation\(s\) \.\.\.\) \+5", cut[3])


def test_tensors_can_be_shown_in_place_of_nodes(standing: Console) -> None:
    said = answer(standing, f"ps train.py -t -b {LOG_LINE}")
    assert any(line.strip().startswith("Log:0  Log") for line in said)


def test_a_wrong_file_is_answered_with_the_nearest(standing: Console) -> None:
    with pytest.raises(UsageError, match=r"no source file 'trian.py' is in the trace; did you mean 'train.py'?"):
        standing.answer("ps trian.py")
