from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from starlette.requests import Request

from tensordbg.errors import UsageError
from tensordbg.server.decoding import decode
from tensordbg.server.parameters import Events, Following, Graph, Next, OneEvent, Parameters, TimeRange


def request(query: str = "", **path: str) -> Request:
    return Request({"type": "http", "query_string": query.encode(), "path_params": path, "headers": []})


def test_nothing_said_means_the_defaults() -> None:
    assert decode(request(), Events) == Events(begin=0, count=200, order="event")


def test_numbers_truths_and_texts() -> None:
    search = "op:Log name:a&b ∞"
    asked = decode(request(f"begin=7&count=1&descending=true&order=time&search={quote(search)}&run=a/b"), Events)
    assert asked == Events(begin=7, count=1, descending=True, order="time", search=search, run="a/b")


def test_number_in_the_path() -> None:
    assert decode(request("process=worker+1", event="12"), OneEvent) == OneEvent(event=12, process="worker 1")


def test_repeated_and_left_out() -> None:
    assert decode(request("function=f&opened=a&opened=b"), Graph).opened == ("a", "b")
    assert decode(request("begin_ns=1700000000000000000"), TimeRange) == TimeRange(begin_ns=1700000000000000000)


@pytest.mark.parametrize(
    ("kind", "query", "path", "sentence"),
    [
        (Events, "count=501", {}, "count='501' can't be taken: expected a whole number <= 500; "),
        (Events, "begin=-1", {}, "begin='-1' can't be taken: expected a whole number >= 0; "),
        (Events, f"begin={2**70}", {}, f"begin='{2**70}' can't be taken: expected a whole number <= "),
        (TimeRange, "end_ns=null", {}, "end_ns='null' can't be taken: expected a whole number; "),
        (Events, "begin=", {}, "begin='' can't be taken: expected a whole number; "),
        (Events, "descending=maybe", {}, "descending='maybe' can't be taken: expected true or false; "),
        (Next, "direction=up", {}, "direction='up' can't be taken: invalid enum value 'up'; "),
        (Following, "wait=nan", {}, "wait='nan' can't be taken: expected a number >= 0.0; "),
        (OneEvent, "", {"event": "x"}, "event='x' can't be taken: expected a whole number; "),
        (OneEvent, "event=2", {"event": "1"}, "'event' is given twice, but may be only once; "),
        (OneEvent, "", {}, "'event' is missing; this address needs it, and takes run, process, event"),
        (Events, "cuont=3", {}, "'cuont' is unknown; this address takes run, process, begin, count, "),
        (Parameters, "x=1", {}, "'x' is unknown; this address takes nothing"),
        (Events, "order=a&order=b", {}, "'order' is given twice"),
    ],
)
def test_what_is_wrong_is_said(kind: type[Parameters], query: str, path: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        decode(request(query, **path), kind)
    assert str(raised.value).startswith(sentence)


def test_long_values_are_cut() -> None:
    with pytest.raises(UsageError) as raised:
        decode(request("begin=" + "x" * 10_000), Events)
    assert len(str(raised.value)) < 300
