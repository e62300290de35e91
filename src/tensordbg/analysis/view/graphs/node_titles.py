"""Names of a graph's operations in a drawing: arguments are called as in the program's text.

An argument of a loop, a branch or a called function that was made for a value from outside has the name of that value.
"""

from __future__ import annotations

import re

from tensordbg.analysis.program.call_tree import CallTree, Instance
from tensordbg.analysis.program.python_names import noted_names
from tensordbg.model import NONE, Site


def node_title(tree: CallTree, instance: Instance) -> str:
    """The name of an argument in the text or of its variable, or its place; of others the last part of their name."""
    site = instance.site
    if site.argument == NONE:
        return _last_part(site)
    return _known(tree, instance) or (f"argument {site.argument}" if _is_generated(site) else _last_part(site))


def _known(tree: CallTree, instance: Instance) -> str:
    """The name of an argument in the text, or of the variable that it is the handle of, however it was handed in."""
    for given in _handed_in(tree, instance):
        name = _in_text(given.site) or _variable(tree, given.site)
        if name:
            return name
    return ""


def _handed_in(tree: CallTree, instance: Instance) -> list[Instance]:
    """An argument, what was given for it, and so on, as long as that is an argument itself."""
    found = [instance]
    while (given := tree.passed_argument(found[-1])) is not None and given[0] in tree.instances:
        found.append(tree.instances[given[0]])
        if found[-1].site.argument == NONE:
            break
    return found


def _in_text(site: Site) -> str:
    names = noted_names(site)
    return names[0][0] if len(names) == 1 and names[0] else ""


def _variable(tree: CallTree, site: Site) -> str:
    function = tree.program.functions.get(site.function)
    captures = function.captures if function is not None else ()
    number = captures[site.argument] if 0 <= site.argument < len(captures) else NONE
    variable = tree.program.variables.get(number)
    return variable.name.removesuffix(":0") if variable is not None else ""


def _is_generated(site: Site) -> bool:
    """Whether a name tells nothing: that of its type, or a number."""
    return re.fullmatch(rf"{re.escape(site.op_type)}(_\d+)?|\d+|input(_\d+)?", _last_part(site)) is not None


def _last_part(site: Site) -> str:
    return site.name.rpartition("/")[2]
