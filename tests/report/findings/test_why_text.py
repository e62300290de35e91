"""The report of `tdbg why`: one screen, terse, plain where it is not a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why, why_of_run
from tensordbg.report.findings.why_text import WIDTH, render, why_text
from tests.analysis.workers import GOOD, RECEIVED, SENT, steps, worker
from tests.report.rendering import rendered
from tests.report.reports import training

WHOLE = """\
Log:0 in train_step() produced the first -inf: 1 of 2 elements
/home/me/train.py:6, in step 3, Log float32[1, 2], first at [0, 0], on CPU:0

   3
   4 def loss(labels, probs):
   5     total = labels * tf.math.log(
 > 6         probs)
   7     return -tf.reduce_mean(total)
   8
   9 # the end

     tensor   type           min  mean  max  std  zeros  -inf
out  Log:0    float32[1, 2]    0     0    0    0      1     1
in   probs:0  float32[1, 2]    0   0.5    1  0.5      1

cause   log_of_zero: probs:0: 1 of its 2 elements is 0; log(0) is -inf.
fix     The input is the output of a softmax. Compute the loss from the logits, which never takes
        the logarithm of 0: `tf.nn.softmax_cross_entropy_with_logits(labels, logits)`, or
        `tf.nn.log_softmax(logits)` (with Keras: a last layer without activation, and
        `from_logits=True`).
spread  reached the loss, gradients, variables, the program's results; 9 more tensors not finite:
        Mul:0, Neg:0, gradient_tape/Reciprocal:0, ReadVariableOp:0, probs:0, Log:0 ...
also    gradient_tape/Reciprocal:0 (train.py:7), its gradient

Log:0 before             probs:0 before
step  min  max  zeros    step      min  max
   0   -1    0      1       0     0.25    1
   1   -1    0      1       1    0.125    1
   2   -1    0      1       2  0.08333    1

harmless (nothing came of it):
  Dropped:0 in step 0 (train.py:9): division_by_zero, 5 times

15 of 45 recorded tensors are not finite.
"""


def test_the_whole_report() -> None:
    assert render(why(training())) == WHOLE


def test_fits_a_small_terminal() -> None:
    lines = rendered(why_text(why(training())), width=80)
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80


def test_stays_narrow_on_a_wide_one() -> None:
    assert max(map(len, rendered(why_text(why(training())), width=10_000))) <= WIDTH


def test_colours_on_a_terminal_only() -> None:
    result = why(training())
    assert "\x1b[" not in render(result)
    stream = io.StringIO()
    Console(file=stream, force_terminal=True, width=80).print(why_text(result))
    assert "\x1b[" in stream.getvalue()


def test_all_finite() -> None:
    assert render(WhyResult(1234, 0, 60, True)) == "All 1,234 tensors over 60 steps were finite.\n"
    assert render(WhyResult(7, 0, 1, True)) == "All 7 tensors over 1 step were finite.\n"


def test_nothing_to_say() -> None:
    assert render(WhyResult(0, 0, 0, True)) == "No tensor was recorded.\n"
    assert "--detail health" in render(WhyResult(7, 0, 1, False))


def test_only_harmless_ones() -> None:
    result = why(training())
    harmless = WhyResult(45, 5, 5, True, tuple(each for each in result.origins if not each.consequential))
    text = render(harmless)
    assert text.startswith("Nothing that matters went wrong: what was not finite died out.\n")
    assert "Dropped:0 in step 0" in text


def test_long_lists_are_cut() -> None:
    result = why(training())
    many = WhyResult(45, 15, 5, True, (result.origins[0],) + (result.origins[0],) * 30)
    text = render(many)
    assert "and 22 more; --json tells all" in text
    assert text.count("Log:0 in step 3") == 8


def test_totals_of_a_run() -> None:
    bad = render(why_of_run({"a": worker(steps(RECEIVED)), "b": worker(steps(SENT))}))
    assert bad.splitlines()[-1] == "3 of 8 recorded tensors in 2 processes are not finite: a 1, b 2."
    good = render(why_of_run({"a": worker(steps(GOOD)), "b": worker(steps(GOOD))}))
    assert good == "All 8 tensors over 1 step in 2 processes were finite.\n"
