"""SARIF, as a code host reads it: each finding is at its line, by the rule of its cause."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.analysis.finding import ProgramFailure, SourceLine, WhyResult
from tensordbg.analysis.why import why
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.sarif import why_to_sarif
from tests.analysis.warnings.network import network

LINE = SourceLine("/code/lib/train file.py", 3, "main", True, "y = tf.math.log(x)")


def run_of(result: WhyResult, root: str = "/code") -> dict[str, Any]:
    log = why_to_sarif(result, Path(root))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    (run,) = log["runs"]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]
    assert isinstance(run, dict)
    return run


def test_an_origin_is_at_its_line(sample_reader: TraceReader) -> None:
    run = run_of(why(sample_reader))
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///code/"}}
    (found,) = run["results"]
    physical = found["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert physical["region"]["startLine"] == 3
    assert found["message"]["text"].startswith("Log:0 in step 2 is where numbers stopped being finite. ")


def test_what_came_to_something_is_an_error(sample_reader: TraceReader) -> None:
    result = why(sample_reader)
    (origin,) = result.origins
    levels = [
        run_of(replace(result, origins=(replace(origin, reaches=reaches, caught=""),)))["results"][0]["level"]
        for reaches in (("loss",), ())
    ]
    assert levels == ["error", "note"]


def test_files_elsewhere_are_absolute_and_names_are_quoted() -> None:
    failure = ProgramFailure("ValueError", "no", "", "", "main", 0, LINE, (LINE,), ())
    result = WhyResult(1, 0, 1, measured=True, failures=(failure,))
    uris = [
        run_of(result, root)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        for root in ("/code", "/other")
    ]
    assert uris == [
        {"uri": "lib/train%20file.py", "uriBaseId": "%SRCROOT%"},
        {"uri": "file:///code/lib/train%20file.py"},
    ]


def test_a_finding_stays_the_same_where_its_line_moves() -> None:
    def mark(line: SourceLine) -> str:
        failure = ProgramFailure("ValueError", "no", "", "", "main", 0, line, (line,), ())
        result = run_of(WhyResult(1, 0, 1, measured=True, failures=(failure,)))["results"][0]
        return str(result["partialFingerprints"]["tensordbg/v1"])

    assert mark(LINE) == mark(replace(LINE, line=30)) != mark(replace(LINE, text="z = 1 / x"))


def test_a_warning_is_a_warning() -> None:
    warned = why(network({"Relu": lambda _: np.zeros((8, 5))}))
    assert [each["level"] for each in run_of(warned)["results"] if each["ruleId"] == "dead_units"] == ["warning"]


def test_nothing_wrong_is_no_result() -> None:
    run = run_of(WhyResult(1, 0, 1, measured=True))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
