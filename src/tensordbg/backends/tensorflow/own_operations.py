"""The operations that a program has brought along, in a library that `tf.load_op_library` has loaded."""

from __future__ import annotations

import sys
from types import ModuleType

from tensordbg.backends.tensorflow.internals import op_def_registry

_MARK = "_IS_TENSORFLOW_PLUGIN"
"""What TensorFlow sets in the module that it makes for such a library, under a name of its own in `sys.modules`."""


def own_operations() -> list[str]:
    """Their types, of all libraries that are loaded."""
    known: list[object] = list(sys.modules.values())  # a program may put whatever it likes there
    modules = [vars(module) for module in known if isinstance(module, ModuleType)]
    names = {name for module in modules if module.get(_MARK) is True for name in module}
    return sorted(name for name in names if name[:1].isupper() and op_def_registry.get(name) is not None)
