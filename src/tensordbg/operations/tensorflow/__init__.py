"""TensorFlow's types of operations, and what each of them is."""

from __future__ import annotations

from tensordbg.operations.table import Table
from tensordbg.operations.tensorflow import (
    arithmetic,
    collectives,
    domains,
    effects,
    engines,
    kinds,
    moving,
    operands,
    stores,
)

TABLE = Table(
    kinds=kinds.KINDS,
    kind_beginnings=kinds.BEGINNINGS,
    gradient_of=kinds.GRADIENT_OF,
    traits={**moving.MOVING, **arithmetic.ARITHMETIC, **effects.EFFECTS},
    trait_beginnings={**moving.BEGINNINGS, **arithmetic.BEGINNINGS, **effects.BEGINNINGS},
    trait_words=effects.WORDS,
    operands=operands.OPERANDS,
    indices=operands.INDICES,
    domains=domains.DOMAINS,
    degrees=operands.DEGREES,
    of_nothing=operands.OF_NOTHING,
    of_matrix=operands.OF_MATRIX,
    puts=stores.PUTS,
    takes=stores.TAKES,
    engines=engines.ENGINES,
    collectives=collectives.COLLECTIVES,
)
