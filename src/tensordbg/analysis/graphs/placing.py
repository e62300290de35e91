"""Operations that run somewhere else than the program asked for, or alone on a device."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tensordbg.analysis.program.call_tree import CallTree
from tensordbg.trace.graphs.graphdef import GraphDefNode

_FIELD = re.compile(
    r"/(job|replica|task):([^/]*)|/device:([A-Za-z_]+)(?::(\d+|\*))?|/([a-z]pu):(\d+|\*)", re.IGNORECASE
)

Device = Mapping[str, str]


def misplaced(tree: CallTree, running: Mapping[str, GraphDefNode]) -> dict[str, str]:
    """For each operation that stands on a device where one would not look for it, why, in half a sentence."""
    found = {}
    for key, instance in tree.instances.items():
        node = running.get(key)
        if node is None or not node.device or instance.site.argument >= 0:
            continue
        asked = instance.site.device
        if asked and not fits(asked, node.device):
            found[key] = f"asked for {short_device(asked)}, runs on {short_device(node.device)}"
        elif not asked:
            around = _neighbours(tree, running, key)
            if around and node.device not in around and len(around) == 1:
                (other,) = around
                found[key] = f"runs on {short_device(node.device)}, all around it on {short_device(other)}"
    return found


def fits(asked: str, given: str) -> bool:
    """Whether a device is what was asked for, as far as that says."""
    wanted, got = _fields(asked), _fields(given)
    return all(value in {"*", got.get(name)} for name, value in wanted.items())


def short_device(name: str) -> str:
    """`GPU:0` for `/job:localhost/replica:0/task:0/device:GPU:0`; the task too, where it is not the local one."""
    fields = _fields(name)
    device = ":".join(filter(None, (fields.get("type", ""), fields.get("index", ""))))
    local = fields.get("job", "LOCALHOST") == "LOCALHOST"
    return device if device and local else name


def _neighbours(tree: CallTree, running: Mapping[str, GraphDefNode], key: str) -> frozenset[str]:
    near = (*tree.sources[key], *tree.consumers[key])
    constant = {"Const", "_Arg", "Placeholder"}
    return frozenset(running[each].device for each in near if each in running and running[each].op_type not in constant)


def _fields(name: str) -> dict[str, str]:
    """What a device's name says, each in capitals."""
    fields: dict[str, str] = {}
    for match in _FIELD.finditer(name):
        part, value, kind, index, old_kind, old_index = match.groups()
        if part:
            fields[part.lower()] = value.upper()
        else:
            fields["type"] = (kind or old_kind).upper()
            if index or old_index:
                fields["index"] = index or old_index
    return fields
