"""Whether variables are meant to be trained.

A variable of TensorFlow says so itself. One that Keras made says what was meant when it was made: freezing a layer
later is known to the Keras variable alone, which the TensorFlow variable in it does not lead back to.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Sequence
from typing import Any

# Python attribute of ours on a handle: a weak reference to the Keras variable around it, or None.
_OWNER = "_tensordbg_owner"


def are_trainable(variables: Sequence[Any]) -> list[bool]:
    """For each of some variables of TensorFlow whether it is to be trained, as of now."""
    keras = sys.modules.get("keras")
    kind = getattr(keras, "Variable", None)
    if kind is not None:
        _find_owners([each for each in variables if each.trainable and not hasattr(each.handle, _OWNER)], kind)
    return [bool(each.trainable) and _is_owner_trainable(each.handle) for each in variables]


def _is_owner_trainable(handle: Any) -> bool:
    reference = getattr(handle, _OWNER, None)
    owner = None if reference is None else reference()
    return owner is None or bool(owner.trainable)


def _find_owners(variables: Sequence[Any], kind: type) -> None:
    """Looks for the Keras variables that hold some variables: all objects that Python tracks, once for all of them."""
    if not variables:
        return
    handles = {id(each): each.handle for each in variables}
    for handle in handles.values():
        setattr(handle, _OWNER, None)
    found = gc.get_referrers(*variables)
    # Up to Python 3.10 an object's attributes lie in a dictionary, which is what refers to the variable.
    found += gc.get_referrers(*[part for part in found if _holds_attributes(part)])
    for each in found:
        if isinstance(each, kind):
            handle = handles.get(id(getattr(each, "_value", None)))
            if handle is not None:
                setattr(handle, _OWNER, weakref.ref(each))


def _holds_attributes(part: Any) -> bool:
    return isinstance(part, dict) and "_value" in part
