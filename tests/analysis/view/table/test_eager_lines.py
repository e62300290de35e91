from __future__ import annotations

from tensordbg.analysis.view.table.eager_lines import titles_of


def test_the_innermost_line() -> None:
    train, evaluate = (("/me/train.py", 15),), (("/me/train.py", 15), ("/me/net.py", 9))
    assert titles_of([train, evaluate, ()]) == {train: "train.py:15", evaluate: "net.py:9", (): ""}


def test_where_that_is_the_same_what_called_it() -> None:
    train = (("/me/run.py", 3), ("/me/train.py", 15), ("/me/net.py", 9))
    evaluate = (("/me/run.py", 3), ("/me/train.py", 19), ("/me/net.py", 9))
    assert titles_of([train, evaluate]) == {
        train: "net.py:9 from train.py:15",
        evaluate: "net.py:9 from train.py:19",
    }


def test_a_line_that_another_reaches_through_more_of_them() -> None:
    short = (("/me/run.py", 3), ("/me/net.py", 9))
    long = (("/me/run.py", 3), ("/me/more.py", 4), ("/me/net.py", 9))
    assert titles_of([short, long]) == {short: "net.py:9", long: "net.py:9 from more.py:4"}
