"""Every rule gives findings of its own kind, and a healthy network none."""

from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.warnings.table import TABLE
from tests.analysis.warnings.network import network, studied

MANUAL = Path(__file__).parents[3] / "docs" / "warnings.md"


def test_healthy() -> None:
    seen = studied(network())
    assert [finding for rule in TABLE.values() for finding in rule(seen)] == []


def test_the_manual_lists_every_kind_in_this_order() -> None:
    rows = [line.split("`")[1] for line in MANUAL.read_text().splitlines() if line.startswith("| `")]
    assert rows == list(TABLE)
