"""Lets origins go on where one dataset is made of several: `zip`, `sample_from_datasets`, `choose_from_datasets`.

They are static, so they are replaced in TensorFlow's class, and hand on whatever has no origins as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.names import of_one, together
from tensordbg.backends.tensorflow.tracing.data_origins_own import all_own


def see_joinings(traced: type[Any]) -> None:
    """Lets origins go on through the static methods of datasets, from now on; other datasets are joined as ever.

    `traced` is the class of datasets with origins.
    """
    data = tf.data.Dataset
    data.zip = staticmethod(_zip(data.zip, traced))
    data.sample_from_datasets = staticmethod(_chosen(data.sample_from_datasets, traced))
    data.choose_from_datasets = staticmethod(_chosen(data.choose_from_datasets, traced))


def _zip(plain: Callable[..., Any], traced: type[Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def zipped(*args: Any, **kwargs: Any) -> Any:
        datasets = kwargs.get("datasets", args[0] if len(args) == 1 else args)
        parts = _leaves(datasets)
        if not any(isinstance(part, traced) for part in parts) or len(args) > 0 < len(kwargs.keys() - {"name"}):
            return plain(*args, **kwargs)  # which also says what is wrong
        return traced(_pairs_of(datasets, traced, lambda structure: plain(structure, name=kwargs.get("name"))))

    return zipped


def _chosen(plain: Callable[..., Any], traced: type[Any]) -> Callable[..., Any]:
    """Takes from several datasets in turn; a name has the number of its dataset where each counts its own elements."""

    @functools.wraps(plain)
    def chosen(datasets: Any, *args: Any, **kwargs: Any) -> Any:
        given = datasets if isinstance(datasets, list | tuple) else ()
        ranks = {part.pairs.element_spec[1].shape.rank if isinstance(part, traced) else None for part in given}
        if len(ranks) != 1 or None in ranks:
            return plain(datasets, *args, **kwargs)
        source = given[0].source
        if source is not None and all(part.source is source for part in given):
            return traced(plain([part.pairs for part in given], *args, **kwargs), source)
        numbered = [part.pairs.map(_numbered(number)) for number, part in enumerate(given)]
        return traced(plain(numbered, *args, **kwargs))

    return chosen


def _numbered(number: int) -> Callable[[Any, Any], Any]:
    def of_dataset(element: Any, origin: Any) -> Any:
        all_own()
        return element, tf.strings.join([origin, f" of dataset {number}"])

    return of_dataset


def _leaves(datasets: Any) -> list[Any]:
    """The datasets in a structure; none where it is no structure for `zip`, which takes no lists."""
    if isinstance(datasets, tf.data.Dataset):
        return [datasets]
    inner = list(datasets.values()) if isinstance(datasets, Mapping) else datasets
    if not isinstance(inner, tuple | list) or isinstance(datasets, list):
        return []
    found = [_leaves(part) for part in inner]
    return [leaf for leaves in found for leaf in leaves] if all(found) else []


def _pairs_of(datasets: Any, traced: type[Any], zipped: Callable[[Any], Any]) -> Any:
    """The elements of zipped datasets, with the names of all sides that have one."""
    parts = tf.nest.flatten(datasets)
    known = [isinstance(part, traced) for part in parts]
    sources = [part.source for part in parts if isinstance(part, traced)]
    sides = tuple(part.pairs if named else part for part, named in zip(parts, known, strict=True))

    def pair(*given: Any) -> Any:
        all_own()
        bare = [side[0] if named else side for side, named in zip(given, known, strict=True)]
        names = [side[1] for side, named in zip(given, known, strict=True) if named]
        return tf.nest.pack_sequence_as(datasets, bare), together(_by_source(names, sources))

    return zipped(sides).map(pair)


def _by_source(names: Sequence[Any], sources: Sequence[object]) -> list[Any]:
    """One name for what is of one source, as far as it is of the same elements."""
    grouped: dict[object, list[Any]] = {}
    for place, (name, source) in enumerate(zip(names, sources, strict=True)):
        grouped.setdefault(place if source is None else id(source), []).append(name)
    return [of_one(parts) for parts in grouped.values()]
