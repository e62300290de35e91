"""All the programs of these tests that run within the test's process, by their names, and how each of them ends.

They are written where what is particular about them is tested; here is what holds for each of them.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import tensorflow as tf

from tests.e2e import (
    test_causes,
    test_jumps,
    test_loss_scaling,
    test_masks,
    test_published_bugs,
    test_round_trips,
    test_updates,
    test_variables_as_arguments,
    test_warnings,
)
from tests.e2e.digits import keras_fit, session
from tests.e2e.programs import (
    test_control_flow,
    test_distribution,
    test_effects,
    test_gradients,
    test_keras,
    test_pipelines,
    test_python_functions,
    test_session_pipelines,
    test_sessions,
    test_stores,
    test_tensors,
    test_xla,
    trainings_gone_wrong,
)
from tests.e2e.programs.checking import marked_lines

Program = Callable[[], object]
Programs = dict[str, Program]

_OF_ALL_KINDS = (
    test_control_flow,
    test_distribution,
    test_effects,
    test_gradients,
    test_keras,
    test_pipelines,
    test_python_functions,
    test_session_pipelines,
    test_sessions,
    test_stores,
    test_tensors,
    test_xla,
)


def _named(module: ModuleType, programs: Iterable[Program]) -> Programs:
    return _within(module, {program.__name__: program for program in programs})


def _within(module: ModuleType, programs: Programs) -> Programs:
    name = module.__name__.rpartition(".")[2].removeprefix("test_")
    return {f"{name}.{each}": program for each, program in programs.items()}


def _of_all_kinds() -> Programs:
    found = {}
    for module in _OF_ALL_KINDS:
        found.update(_named(module, module.PROGRAMS))
    return found | _named(test_control_flow, [program for program, _, _ in test_control_flow.CONDITIONS])


def _masked() -> Iterator[tuple[str, Program]]:
    for masked in test_masks.HARMFUL:
        for way, function in (("graph", tf.function), ("eager", lambda masked: masked)):
            yield (
                f"{masked.__name__}_{way}",
                lambda masked=masked, run=function: run(masked)(tf.constant(test_masks.FULL)),
            )


def _harmlessly_masked() -> Iterator[tuple[str, Program]]:
    for masked in test_masks.HARMLESS:
        for way, function in (("graph", tf.function), ("eager", lambda masked: masked)):
            yield (
                f"harmless_{masked.__name__}_{way}",
                lambda masked=masked, run=function: run(masked)(tf.constant(test_masks.CAUSAL)),
            )


def _in_half_precision(programs: dict[str, Callable[[], None]]) -> Programs:
    return {name: test_loss_scaling.half_precision()(program) for name, program in programs.items()}


def _digits_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.variable_scope("", use_resource=False):
        session.train(4)


def _silently(program: Program) -> Program:
    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            program()

    return run


def _trained(make: Callable[[], Any], train: Callable[[Any, Any], None]) -> None:
    training = trainings_gone_wrong.made(make)
    train(training, training.data)


def _trainings() -> Programs:
    made = trainings_gone_wrong
    return {
        f"{make.__name__}_{train.__name__}": partial(_trained, make, train)
        for make in (made.rare_sample, made.exploding_step, made.half_precision, made.log_of_zero)
        for train in (made.fit, made.loop)
    }


_KINDS = _of_all_kinds()

PROGRAMS: Programs = {
    **_named(test_causes, [program for programs in test_causes.PROGRAMS.values() for program in programs]),
    **_named(test_published_bugs, test_published_bugs.PROGRAMS),
    **_named(test_round_trips, (*test_round_trips.WHOLE, *test_round_trips.PARTS)),
    **_named(test_variables_as_arguments, test_variables_as_arguments.PROGRAMS),
    **_within(test_jumps, test_jumps.PROGRAMS),
    **_within(test_updates, test_updates.PROGRAMS),
    **_within(test_masks, {"attention": test_masks.attention, **dict(_masked())}),
    **_within(test_loss_scaling, _in_half_precision(test_loss_scaling.PROGRAMS)),
    **_within(trainings_gone_wrong, _trainings()),
    "digits.keras_fit": _silently(keras_fit.main),
    "digits.session": _silently(_digits_in_a_session),
    **{name: program for name, program in _KINDS.items() if marked_lines(program)},
}
"""Those whose numbers go wrong."""

HARMLESS: Programs = {
    **_within(test_masks, dict(_harmlessly_masked())),
    **_within(test_loss_scaling, _in_half_precision(test_loss_scaling.CAUGHT_PROGRAMS)),
}
"""Those in which a number is not finite and harms nothing."""

FINITE: Programs = {
    **_named(test_warnings, [program for several in test_warnings.PROGRAMS.values() for program, _ in several]),
    **{name: program for name, program in _KINDS.items() if not marked_lines(program)},
}
"""Those whose numbers stay finite, whether all is well or not."""
