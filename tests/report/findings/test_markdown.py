from __future__ import annotations

from dataclasses import replace

from markdown_it import MarkdownIt

from tensordbg import __version__
from tensordbg.analysis.finding import Decided, EndedLoop, InputView, ProgramFailure, SourceLine
from tensordbg.analysis.why import why, why_of_run
from tensordbg.report.findings.markdown import Circumstances, findings_markdown
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.workers import RECEIVED, SENT, steps, worker
from tests.report.reports import training

HERE = Circumstances("train", ("python", "train me.py"), "3.11.7", {"tensorflow": "2.21.0"}, "health")
READER = MarkdownIt("commonmark").enable("table")


def test_what_where_and_why() -> None:
    lines = findings_markdown(why(training()), HERE).splitlines()
    assert lines[0] == "## `Log:0` in train\\_step() produced the first -inf: 1 of 2 elements"
    assert lines[4] == "`train.py:6` · in step 3 · Log float32\\[1, 2\\] · first at \\[0, 0\\] · on CPU:0"
    assert "> 6         probs)" in lines
    assert "| out | `Log:0` | `float32[1, 2]` | 0 | 0 | 0 | 0 | 1 | 1 |" in lines
    assert "- **Cause** `log_of_zero`: probs:0: 1 of its 2 elements is 0; log(0) is -inf." in lines
    assert "### Harmless (nothing came of it)" in lines
    assert "- `Dropped:0` in step 0 `train.py:9`: `division_by_zero`, 5 times" in lines


def test_the_program() -> None:
    lines = findings_markdown(why(training()), HERE).splitlines()
    assert lines[-4:] == [
        "- program: `train`",
        "- command: `python 'train me.py'`",
        f"- versions: tensorflow 2.21.0, Python 3.11.7, tensordbg {__version__}",
        "- recorded with: `--detail health`",
    ]


def test_the_stack_has_the_programs_own_frames_without_their_folder() -> None:
    text = findings_markdown(why(training()), HERE)
    stack = text[text.index("<details>") : text.index("</details>")]
    assert "train.py:6 in loss" in stack
    assert "/home/me/" not in text
    assert "site-packages" not in text


def test_the_error_that_ended_the_program() -> None:
    line = SourceLine("/home/me/train.py", 6, "loss", True, "x @ y")
    failure = ProgramFailure(
        "InvalidArgumentError", "In[0]: [4,3],\nIn[1]: [4,3]", "MatMul", "MatMul", "", 2, line, (), ()
    )
    lines = findings_markdown(replace(why(training()), failures=(failure,)), HERE).splitlines()
    assert lines[0].startswith("## `Log:0`")
    assert "### raised InvalidArgumentError in MatMul, train.py:6: In\\[0\\]: \\[4,3\\]," in lines


def test_the_error_is_the_headline_where_nothing_was_wrong_with_the_numbers() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    trace.run(f).event(f.op("Log"), [1.0])
    line = SourceLine("/home/me/train.py", 6, "loss", True, "x @ y")
    given = InputView("x:0", "", None, dtype="int32", shape=(3,))
    said = "indices[2] = 14 is not in [0, 10)"
    failure = ProgramFailure("InvalidArgumentError", said, "Gather", "Gather", "", 2, line, (), (given,))
    text = findings_markdown(replace(why(trace), failures=(failure,)), HERE)
    assert text.startswith("## raised InvalidArgumentError in Gather, train.py:6: indices\\[2\\] = 14 is not in")
    assert "`int32[3]`" in text


def test_all_finite() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    log = f.op("Log")
    trace.run(f).event(log, [1.0])
    assert findings_markdown(why(trace), HERE).startswith("## The only tensor was finite.\n\n### Program\n")


def test_names_and_sources_can_not_break_out() -> None:
    evil = "a`</details><img src=x onerror=alert(1)>|@team #1 [x](http://evil.example)\n# b"
    trace = TraceBuilder([f"```</details><script>{k}" for k in range(20)])
    f = trace.function(evil)
    trace.run(f).event(f.op("Log", name=evil), [nan])
    result = why(trace)
    origin = result.origins[0]
    result = replace(result, origins=(replace(origin, caught=evil), replace(origin, process=evil)), notes=(evil,))
    tokens = READER.parse(findings_markdown(result, replace(HERE, program=evil, command=(evil,))))
    inside = [child for token in tokens for child in token.children or []]
    assert {child.type for child in inside} <= {"text", "text_special", "code_inline", "strong_open", "strong_close"}
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert set(html) <= {"<details><summary>Stack, of the program's own code</summary>", "</details>"}


def test_how_it_came_to_another_process() -> None:
    processes = {"worker 0": worker(steps(SENT)), "worker 1": worker(steps(RECEIVED))}
    text = findings_markdown(why_of_run(processes), HERE)
    assert "of worker 0 produced the first NaN" in text
    assert "- **Then** came from worker 0 to worker 1" in text


def test_what_it_decided() -> None:
    result = why(training())
    origin = result.origins[0]
    loop = EndedLoop("Less:0", None, 3, 9)
    chosen = tuple(Decided("choice", f"Greater_{number}:0", None, number, None, "") for number in range(25))
    text = findings_markdown(replace(result, origins=(replace(origin, ended=(loop,), decided=chosen),)), HERE)
    assert "- **Ended** the loop of Less:0 in step 3, iteration 9: nothing compares with NaN" in text
    assert text.count("- **Decided** which elements were chosen, Greater") == 20
    assert "- **Decided** 5 more" in text.splitlines()


def test_long_lists_are_cut() -> None:
    result = why(training())
    harmless = tuple(origin for origin in result.origins if not origin.consequential)
    text = findings_markdown(replace(result, origins=harmless * 30), HERE)
    assert text.startswith("## Nothing that matters went wrong: what was not finite died out.\n")
    assert "- and 10 more" in text.splitlines()
