from __future__ import annotations

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.sites import lost_site
from tensordbg.model import Frame


def test_names_of_a_site(varied: OpenedTrace) -> None:
    names = varied.sites[1]
    assert (names.site.name, names.function, names.layer) == ("dense/MatMul", "train_step", "model/dense")
    assert names.source == Frame("/code/model.py", 5, "train_step", user=True)


def test_the_body_of_a_loop_belongs_to_the_function_around_it(varied: OpenedTrace) -> None:
    names = varied.sites[6]
    assert (names.function, names.given_function) == ("train_step", "while_body_7")


def test_eager_code_has_the_function_around_its_line(varied: OpenedTrace) -> None:
    assert (varied.sites[8].function, varied.sites[8].given_function) == ("main", "main")


def test_site_that_nothing_describes(varied: OpenedTrace) -> None:
    names = lost_site(varied.program, 99)
    assert (names.site.name, names.source, names.layer) == ("lost_99", None, "")
    assert varied.site(99) == names
