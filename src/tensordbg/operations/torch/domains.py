"""Where functions of PyTorch have a finite value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.operation import Domain
from tensordbg.operations.torch.words import name

_POSITIVE = Domain(0.0, math.inf, "above 0", open=True)
_NOT_NEGATIVE = Domain(0.0, math.inf, "from 0 upwards")
_UNIT = Domain(-1.0, 1.0, "from -1 to 1")
_OPEN_UNIT = Domain(-1.0, 1.0, "between -1 and 1, both excluded", open=True)
_NO_POLE = Domain(0.0, math.inf, "other than 0 and the negative whole ones", open=True)
_PROBABILITY = Domain(0.0, 1.0, "between 0 and 1, both excluded", open=True)
_INCOMPLETE_GAMMA = (_POSITIVE, _NOT_NEGATIVE.of(1))

DOMAINS: Mapping[str, tuple[Domain, ...]] = MappingProxyType(
    {
        name(word): domains
        for word, domains in {
            "acos": (_UNIT,),
            "acosh": (Domain(1.0, math.inf, "from 1 upwards"),),
            "asin": (_UNIT,),
            "atanh": (_OPEN_UNIT,),
            "digamma": (_NO_POLE,),
            "erfinv": (_OPEN_UNIT,),
            "igamma": _INCOMPLETE_GAMMA,
            "igammac": _INCOMPLETE_GAMMA,
            "lgamma": (_NO_POLE,),
            "logit": (_PROBABILITY,),
            "mvlgamma": (_POSITIVE,),
            "polygamma": (_POSITIVE.of(1),),
            "special_ndtri": (_PROBABILITY,),
            "special_zeta": (Domain(1.0, math.inf, "above 1", open=True), _POSITIVE.of(1)),
        }.items()
    }
)
