from __future__ import annotations

from dataclasses import dataclass

from tensordbg.server.field_texts import field_texts


@dataclass(frozen=True)
class Pear:
    """A fruit."""

    weight: float
    """In grams.

    Without the stalk.
    """
    ripe: bool
    kind: str = "Williams"
    """Its name."""


def test_texts_of_fields() -> None:
    assert field_texts(Pear) == {"weight": "In grams.\n\nWithout the stalk.", "kind": "Its name."}
