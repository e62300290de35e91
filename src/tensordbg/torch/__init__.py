"""Names that fit PyTorch alone, for a program to use.

    import tensordbg.torch

    tensordbg.torch.enable_check_numerics()

Importing this module does not import PyTorch; calling what is in it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.lazy import lazy_names

if TYPE_CHECKING:
    from tensordbg.backends.torch.check.checking import disable_check_numerics, enable_check_numerics
    from tensordbg.backends.torch.check.raised import BadNumberError
    from tensordbg.backends.torch.trap.raised import BadStepError

__all__ = ["BadNumberError", "BadStepError", "disable_check_numerics", "enable_check_numerics"]

_HOMES = {
    "BadNumberError": "tensordbg.backends.torch.check.raised",
    "BadStepError": "tensordbg.backends.torch.trap.raised",
    "disable_check_numerics": "tensordbg.backends.torch.check.checking",
    "enable_check_numerics": "tensordbg.backends.torch.check.checking",
}
"""Where each public name is defined."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
