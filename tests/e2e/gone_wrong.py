"""All the programs of these tests that go wrong and run within the test's process, by their names.

They are written where what is particular about them is tested; here is what holds for each of them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator

from tests.e2e import test_causes, test_published_bugs, test_round_trips, test_variables_as_arguments

Program = Callable[[], object]


def _programs() -> Iterator[tuple[types.ModuleType, Program]]:
    for programs in test_causes.PROGRAMS.values():
        yield from ((test_causes, program) for program in programs)
    yield from ((test_published_bugs, program) for program in test_published_bugs.PROGRAMS)
    yield from ((test_round_trips, program) for program in (*test_round_trips.WHOLE, *test_round_trips.PARTS))
    yield from ((test_variables_as_arguments, program) for program in test_variables_as_arguments.PROGRAMS)


PROGRAMS = {f"{module.__name__.rpartition('test_')[2]}.{each.__name__}": each for module, each in _programs()}
