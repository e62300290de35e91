from __future__ import annotations

import inspect

from tensordbg.console.language.functions import CONSTANTS, FUNCTIONS, KEYWORDS, TYPES

WRITING = {"save", "savez", "savetxt", "load", "loadtxt", "fromfile", "memmap", "copyto", "put", "place", "putmask"}


def test_no_function_touches_files_or_writes_into_what_it_is_given() -> None:
    assert not WRITING & {name.rpartition(".")[2] for name in FUNCTIONS}
    assert {"sum", "where", "linalg.norm", "isneginf"} <= set(FUNCTIONS)


def test_none_takes_a_function_or_a_place_to_write_to_by_name() -> None:
    assert not {"out", "func", "key", "where", "like", "casting"} & set(KEYWORDS)


def test_no_type_holds_objects() -> None:
    assert "object" not in TYPES
    assert not any(inspect.isroutine(value) for value in CONSTANTS.values())
