from __future__ import annotations

import pytest

from tensordbg.console.language.patterns import compile_pattern
from tensordbg.errors import UsageError


def test_what_python_only_warns_of_is_taken_as_it_is() -> None:
    assert compile_pattern("[[a]").search("[") is not None


def test_what_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'\(' is no regular expression: missing \).*; write a backslash"):
        compile_pattern("(")
