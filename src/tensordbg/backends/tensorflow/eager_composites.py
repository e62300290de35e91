"""Notes which eager tensors make up a ragged or sparse tensor, once for each place that puts one together.

A site of its own says so, of which no event tells: the parts are recorded as what they are.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.stacks import stack_key
from tensordbg.backends.tensorflow.tracing.composites import RAGGED, SPARSE
from tensordbg.model import EAGER_COMPOSITE, NONE, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.log import made_by
from tensordbg.recording.recorder import Recorder

_Places = tuple[tuple[int, int], ...]
"""Sites with slots."""

_TYPES = {RAGGED: "RaggedTensor", SPARSE: "SparseTensor"}

_MOST_PARTS = 64
"""So many tensors make up one value at most, for telling them apart."""

_SITES: dict[tuple[Any, ...], int] = {}
"""By stack, kind and parts; a site keeps its number through all recordings of the process."""


class EagerComposites:
    """The hooks for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        import tensorflow as tf  # imported by the program already

        self._replaced.replace(tf.RaggedTensor, "__init__", self._watching_ragged)
        self._replaced.replace(tf.SparseTensor, "__init__", self._watching_sparse)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    def _watching_ragged(self, plain: Any) -> Any:
        def __init__(ragged: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            plain(ragged, *args, **kwargs)
            if self._recorder.active:
                with self._recorder.guard("noting the parts of a ragged tensor"):
                    self._note(RAGGED, (ragged.flat_values, *ragged.nested_row_splits))

        return __init__

    def _watching_sparse(self, plain: Any) -> Any:
        def __init__(sparse: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            plain(sparse, *args, **kwargs)
            if self._recorder.active:
                with self._recorder.guard("noting the parts of a sparse tensor"):
                    self._note(SPARSE, (sparse.values, sparse.indices, sparse.dense_shape))

        return __init__

    def _note(self, kind: str, parts: tuple[Any, ...]) -> None:
        if self._recorder.resting or not all(hasattr(each, "numpy") for each in parts):
            return
        frame = sys._getframe(2)  # noqa: SLF001
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
