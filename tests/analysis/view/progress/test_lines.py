from __future__ import annotations

from tensordbg.analysis.view.progress.lines import find_lines
from tensordbg.trace.program.optimizers import OptimizerSettings
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def test_the_loss_over_the_steps() -> None:
    (loss,) = find_lines(studied(network({"loss": lambda step: 3.0 - step}, steps=3)))
    assert (loss.what, loss.name, loss.steps, loss.values) == ("loss", "loss:0", (0, 1, 2), (3.0, 2.0, 1.0))


def test_a_long_one_is_thinned_out() -> None:
    (loss,) = find_lines(studied(network({"loss": lambda step: 1.0 / (1 + step)}, steps=900)))
    assert len(loss.steps) == len(loss.values) == len(loss.events) == 300
    assert (loss.steps[0], loss.steps[-1]) == (0, 899)


def test_a_learning_rate_that_a_variable_holds() -> None:
    trace = TraceBuilder()
    rate = trace.variable("adam/learning_rate", trainable=False)
    other = trace.variable("adam/rate_of_something", trainable=False)
    f = trace.function("step")
    reads = [f.read(rate), f.read(other)]
    for value in (0.5, 0.25):
        run = trace.run(f)
        for read in reads:
            run.event(read, value)
    (line,) = [line for line in find_lines(studied(trace)) if line.what == "learning_rate"]
    assert (line.name, line.values) == ("adam/learning_rate", (0.5, 0.25))


def test_a_learning_rate_to_which_an_optimizer_was_set() -> None:
    seen = studied(network({"loss": lambda step: 9.0 - step}, steps=8))
    rates = [OptimizerSettings(0, 0, "SGD", step, {"lr": rate}) for step, rate in ((0, 0.1), (3, 0.05), (4, 0.01))]
    other = OptimizerSettings(0, 1, "SGD", 0, {"lr": 1, "momentum": 0.9})
    found = [line for line in find_lines(seen, [*rates, other]) if line.what == "learning_rate"]
    assert [(line.name, line.steps, line.values, line.events) for line in found] == [
        ("SGD", (0, 2, 3, 4, 7), (0.1, 0.1, 0.05, 0.01, 0.01), ()),
        ("SGD, group 1", (0, 7), (1.0, 1.0), ()),
    ]


def test_a_rate_that_is_no_number_is_no_line() -> None:
    seen = studied(network({"loss": lambda step: 9.0 - step}, steps=8))
    told = [OptimizerSettings(0, 0, "SGD", 0, {"lr": "ExponentialDecay()"}), OptimizerSettings(0, 1, "SGD", 0, {})]
    assert [line.what for line in find_lines(seen, told)] == ["loss"]
