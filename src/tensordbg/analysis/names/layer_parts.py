"""Which operations belong to each layer of a model, by the path of the layer, and how both are called when typed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tensordbg.analysis.program.description import Program
from tensordbg.model import TensorRef


@dataclass
class LayerPart:
    """A layer as the sites describe it."""

    class_name: str = ""
    outputs: dict[TensorRef, int] = field(default_factory=dict)
    """What it puts out, each with which of its outputs it is."""
    inner: dict[int, str] = field(default_factory=dict)
    """The sites of its own operations, without those of layers in it, each with its name inside of the layer."""


def layer_parts(program: Program) -> dict[str, LayerPart]:
    """All layers by path, those around each too."""
    found: dict[str, LayerPart] = {}
    for site in sorted((site for site in program.sites.values() if site.layer), key=lambda site: site.site):
        said = json.loads(site.layer)
        if said["path"]:
            _layer(found, said["path"], said["class"]).inner[site.site] = site.name
        for path, class_name, slot, number in said["output_of"]:
            _layer(found, path, class_name).outputs[TensorRef(site.site, slot)] = number
    for part in found.values():
        part.inner = _within(program, part.inner)
    return found


def fitting_layers(paths: Collection[str], wanted: str) -> list[str]:
    """The layers that are meant by a path, the end of one, or a pattern with `*`, `?`, `[...]`."""
    if wanted in paths:
        return [wanted]
    return [path for path in paths if path.endswith(f"/{wanted}") or _fits(path, wanted)]


def at_or_below(paths: Collection[str], path: str) -> list[str]:
    """A layer, and those in it."""
    return [each for each in paths if each == path or each.startswith(f"{path}/")]


def prefixes(path: str) -> Iterator[str]:
    """`a`, `a/b`, `a/b/c`."""
    names = path.split("/")
    return ("/".join(names[: count + 1]) for count in range(len(names)))


def short_paths(paths: Collection[str]) -> Mapping[str, str]:
    """For each path the shortest end that no other one has."""
    ends = Counter(end for path in paths for end in _ends(path))
    return {path: next((end for end in _ends(path) if ends[end] == 1), path) for path in paths}


def _ends(path: str) -> Iterator[str]:
    """`c`, `b/c`, `a/b/c`."""
    names = path.split("/")
    return ("/".join(names[count:]) for count in range(len(names) - 1, -1, -1))


def _fits(path: str, wanted: str) -> bool:
    return any(sign in wanted for sign in "*?[") and any(fnmatchcase(end, wanted) for end in _ends(path))


def _layer(found: dict[str, LayerPart], path: str, class_name: str) -> LayerPart:
    for prefix in prefixes(path):
        found.setdefault(prefix, LayerPart())
    found[path].class_name = class_name
    return found[path]


def _within(program: Program, names: Mapping[int, str]) -> dict[int, str]:
    """The operations of a layer by their names without the scope that those of one graph have in common."""
    graphs: dict[int, list[int]] = {}
    for site in names:
        graphs.setdefault(program.sites[site].function, []).append(site)
    short: dict[int, str] = {}
    for sites in graphs.values():
        scopes = [names[site].split("/")[:-1] for site in sites]
        common = 0
        for pieces in zip(*scopes, strict=False):
            if len(set(pieces)) > 1:
                break
            common += 1
        short.update({site: "/".join(names[site].split("/")[common:]) for site in sites})
    return {site: short[site] for site in names}
