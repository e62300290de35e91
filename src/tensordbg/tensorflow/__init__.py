"""The names under which TensorFlow offers its own debugger, for a program to change one import; and what fits Keras.

    import tensordbg.tensorflow

    tensordbg.tensorflow.enable_dump_debug_info("runs/a", tensor_debug_mode="FULL_HEALTH")
    tensordbg.tensorflow.enable_check_numerics()

Importing this module does not import TensorFlow; calling what is in it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.lazy import lazy_names

if TYPE_CHECKING:
    from tensordbg.backends.tensorflow.check.checking import disable_check_numerics, enable_check_numerics
    from tensordbg.backends.tensorflow.data_origins.dataset import trace_data
    from tensordbg.backends.tensorflow.dump.enable import disable_dump_debug_info, enable_dump_debug_info
    from tensordbg.backends.tensorflow.trap.callback import TrapCallback

__all__ = [
    "TrapCallback",
    "disable_check_numerics",
    "disable_dump_debug_info",
    "enable_check_numerics",
    "enable_dump_debug_info",
    "trace_data",
]

_HOMES = {
    "TrapCallback": "tensordbg.backends.tensorflow.trap.callback",
    "disable_check_numerics": "tensordbg.backends.tensorflow.check.checking",
    "disable_dump_debug_info": "tensordbg.backends.tensorflow.dump.enable",
    "enable_check_numerics": "tensordbg.backends.tensorflow.check.checking",
    "enable_dump_debug_info": "tensordbg.backends.tensorflow.dump.enable",
    "trace_data": "tensordbg.backends.tensorflow.data_origins.dataset",
}
"""Where each public name is defined."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
