"""The weights of a layer: by them a layer that is called in several lines is known for the same."""

from __future__ import annotations

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FARTHEST = 50

_PASSES = frozenset({Kind.CAST, Kind.IDENTITY, Kind.RESHAPE, Kind.TRANSPOSE})
"""What becomes of a weight before it is multiplied with."""

_BEHIND_PRODUCT = _PASSES | {Kind.ADD, Kind.ADD_BIAS, Kind.NORMALISE}
"""What a layer does with the product before its activation."""


def weights_of(study: Study, port: int) -> frozenset[int]:
    """The variables that the layer multiplies with and adds that ends with an activation."""
    ahead, seen, found = [(parent, False) for parent in study.wiring.parents(port)], set[int](), set[int]()
    while ahead and len(seen) < _FARTHEST:
        each, before_product = ahead.pop()
        variable, site = study.variable_of.get(each), study.wiring.site(each)
        if variable is not None:
            found.add(variable)
        elif each not in seen and site is not None:
            operation = operation_of(site)
            product = operation.has(Trait.CONTRACTS) and not before_product
            if product or operation.kind in (_PASSES if before_product else _BEHIND_PRODUCT):
                ahead += [(parent, before_product or product) for parent in study.wiring.parents(each)]
        seen.add(each)
    return frozenset(found)
