"""PyTorch's types that look at numbers, bring them in from outside, or give another result each time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.torch.words import names
from tensordbg.operations.traits import Trait

_DRAWN_IN_KERNELS = frozenset({"prims::inductor_random", "prims::inductor_randint"})

EFFECTS: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.COMPARES: names(
            """
            _to_copy argmax argmin argsort bincount bucketize eq equal ge gt histc isclose kthvalue le lt ne
            searchsorted sort topk
            """
        ),
        Trait.GIVES_POSITIONS: names("_to_copy argmax argmin argsort bucketize kthvalue searchsorted sort topk"),
        Trait.UNSCALES: names("_amp_foreach_non_finite_check_and_unscale"),
        Trait.TESTS_FINITE: names("_amp_foreach_non_finite_check_and_unscale isfinite isinf isnan"),
        Trait.VARIES: names(
            """
            bernoulli binomial cauchy dropout exponential geometric log_normal multinomial native_dropout normal poisson
            rand randint randn random randperm uniform
            """
        )
        | _DRAWN_IN_KERNELS,
        Trait.DRAWS_APART: _DRAWN_IN_KERNELS,
        # Of compiled graphs, where they stand under the names of PyTorch's functions.
        Trait.RUNS_UNSEEN: frozenset({"associative_scan", "cond", "map_impl", "scan", "while_loop"}),
        Trait.STANDS_ALONE: names("empty empty_like empty_strided new_empty"),
    }
)

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType({})
