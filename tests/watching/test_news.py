"""What there is to tell of a run."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.finding import NumericalWarning
from tensordbg.analysis.why import why, why_of_run
from tensordbg.watching.news import news_of
from tests.analysis.workers import GOOD, RECEIVED, SENT, steps, worker
from tests.trace.sums.test_totals import trained


def test_a_finding_is_told_with_its_line_cause_and_fix() -> None:
    (news,) = news_of(why(worker(steps(GOOD, SENT))))
    assert (news.kind, news.name, news.about) == ("finding", "infinite_gradient", "gradient_tape/Reciprocal:0")
    assert "gradient_tape/Reciprocal:0" in news.headline
    assert news.place.startswith("train.py:")
    assert news.suggestion


def test_what_is_the_same_later_has_the_same_key() -> None:
    (early,), (late,) = (list(news_of(why(worker(took)))) for took in (steps(GOOD, SENT), steps(GOOD, SENT, SENT)))
    assert early.key == late.key
    assert early.headline


def test_alerts_are_told_with_their_process() -> None:
    (news,) = news_of(why_of_run({"a": trained(1, 2), "b": trained(1, 3), "c": trained(1, 2)}))
    assert (news.kind, news.name, news.process) == ("alert", "other_parameters", "b")


def test_what_came_from_another_process_is_told_once() -> None:
    both = {"a": worker(steps(GOOD, RECEIVED)), "b": worker(steps(GOOD, SENT))}
    assert [news.process for news in news_of(why_of_run(both))] == ["b"]


def test_nothing_where_all_is_well() -> None:
    assert not list(news_of(why(worker(steps(GOOD)))))


def test_a_warning_is_a_sentence_and_its_kind_and_line_stand_beside_it() -> None:
    result = why(worker(steps(GOOD, SENT)))
    (origin,) = result.origins
    warning = NumericalWarning("dead_units", origin.view, "kernel", origin.place, {}, "The units never fire.", "")
    named = replace(warning, explanation="The units of kernel never fire.")
    told = replace(result, origins=(), warnings=(warning, named))
    assert [(news.headline, news.name) for news in news_of(told)] == [
        ("kernel: The units never fire", "dead_units"),
        ("The units of kernel never fire", "dead_units"),
    ]
