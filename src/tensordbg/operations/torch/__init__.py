"""PyTorch's types of operations, and what each of them is: those of kernels, as the observer sees them.

An operation that is made of others, such as `aten::linear`, stands in no trace. Operands are counted among the tensors
that an operation takes and the numbers that the observer records (`2` in `x ** 2`), in the order of its arguments.
"""

from __future__ import annotations

from tensordbg.operations.table import Table
from tensordbg.operations.torch import arithmetic, collectives, domains, effects, gradients, kinds, moving, operands
from tensordbg.operations.torch.words import plain

TABLE = Table(
    kinds=kinds.KINDS,
    kind_beginnings=kinds.BEGINNINGS,
    gradient_of=gradients.GRADIENT_OF,
    traits={**moving.MOVING, **arithmetic.ARITHMETIC, **effects.EFFECTS},
    trait_beginnings={**moving.BEGINNINGS, **arithmetic.BEGINNINGS, **effects.BEGINNINGS},
    operands=operands.OPERANDS,
    indices=operands.INDICES,
    domains=domains.DOMAINS,
    degrees=operands.DEGREES,
    of_nothing=operands.OF_NOTHING,
    of_matrix=operands.OF_MATRIX,
    collectives=collectives.COLLECTIVES,
    plain=plain,
)
