from __future__ import annotations

from tensordbg import __version__
from tensordbg.console.console import Console
from tests.console.recorded import answer


def test_versions_of_tensordbg_and_of_what_was_recorded(console: Console) -> None:
    said = answer(console, "version")
    assert f"tensordbg {__version__}" in said
    assert any(line.startswith("tensorflow 2.") for line in said)
