"""Notes which eager tensors make up a ragged or sparse tensor, once for each place that puts one together.

A site of its own says so, of which no event tells: the parts are recorded as what they are.
"""

from __future__ import annotations

import json
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.backends.tensorflow.stack_keys import stack_key
from tensordbg.backends.tensorflow.tracing.composites import RAGGED, SPARSE, CompositeHooks
from tensordbg.model import EAGER_COMPOSITE, NONE, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.log import made_by

_Places = tuple[tuple[int, int], ...]
"""Sites with slots."""

_TYPES = {RAGGED: "RaggedTensor", SPARSE: "SparseTensor"}

_MOST_PARTS = 64
"""So many tensors make up one value at most, for telling them apart."""

_SITES: dict[tuple[Any, ...], int] = {}
"""By stack, kind and parts; a site keeps its number through all recordings of the process."""


class EagerComposites(CompositeHooks):
    """The hooks for what eager code puts together."""

    def note(self, kind: str, parts: tuple[Any, ...], frame: FrameType) -> None:
        """Notes it as a site, once for each place and each making of its parts."""
        if self._recorder.resting or not all(hasattr(each, "numpy") for each in parts):
            return
        key = stack_key(frame)
        # One line may put several together, of other numbers of parts: a ragged tensor of ragged rows.
        first = len(parts) * _MOST_PARTS
        places = tuple(self._place(each, key, first + number) for number, each in enumerate(parts))
        if any(site < 0 for site, _ in places):
            return
        layer = hooks().layers.path
        known = _SITES.get((key, kind, places, layer))
        catalog = self._recorder.catalog
        if known is not None:
            catalog.use_site(known)
            return
        with catalog.lock:
            number = catalog.new_sites(1)
            told = json.dumps({EAGER_COMPOSITE: {kind: places}})
            stack = hooks().stacks.current(key, frame)
            name = _TYPES[kind]
            catalog.add_sites([Site(number, name, name, NONE, stack, attributes=told, framework=TENSORFLOW)])
        _SITES[key, kind, places, layer] = number

    def _place(self, tensor: Any, key: Any, number: int) -> tuple[int, int]:
        """The site and slot of a part; what comes in from outside is recorded. Below 0 where that is not known."""
        maker, reference, site = getattr(tensor, MARK, (None, NONE, NONE))
        if maker is not self._recorder and self._recorder.records_all:
            hooks().eager.known_input(tensor, key, number)
            maker, reference, site = getattr(tensor, MARK, (None, NONE, NONE))
        return (site, made_by(reference)[1]) if maker is self._recorder else (NONE, 0)
