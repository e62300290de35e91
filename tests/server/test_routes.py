from __future__ import annotations

import typing

from tensordbg.server import parameters
from tensordbg.server.parameters import Compared, Parameters
from tensordbg.server.routes import QUESTIONS
from tensordbg.wire.view.answers import RunAnswers


def test_each_question_gives_what_is_described() -> None:
    for question in QUESTIONS:
        if question.parameters not in (Parameters, Compared):  # which are not asked of one run
            ask = question.parameters.ask  # type: ignore[attr-defined]
            assert typing.get_type_hints(ask, vars(parameters))["return"] is question.answer


def test_every_method_of_the_answers_has_a_route() -> None:
    methods = {name for name, member in vars(RunAnswers).items() if callable(member) and not name.startswith("_")}
    assert {question.name for question in QUESTIONS} == methods - {"trace"} | {"runs", "comparison"}


def test_named_paths_come_before_numbered_ones() -> None:
    paths = [question.path for question in QUESTIONS]
    assert paths.index("events/place") < paths.index("events/{event}")
    assert paths.index("events/next") < paths.index("events/{event}")
