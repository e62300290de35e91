"""Makes the parameters of a route from what a request says, or one sentence about what is wrong with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tensordbg.errors import UsageError
from tensordbg.server.parameters import Parameters

if TYPE_CHECKING:
    from starlette.requests import Request

Asked = TypeVar("Asked", bound=Parameters)

_PLACE = re.compile(r"(?P<rule>.*?) - at `\$\.?(?P<name>\w*).*`")
_FIELD = re.compile(r"Object (?P<trouble>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}
_LONGEST = 80
"""Characters of a wrong value that are repeated."""


def decode(request: Request, wanted: type[Asked]) -> Asked:
    """The parameters in a request's path and query.

    Raises:
        UsageError: If one is missing, unknown, given twice, or not what it may be.
    """
    said: dict[str, Any] = dict(request.path_params)
    repeatable = {field.name for field in msgspec.structs.fields(wanted) if isinstance(field.default, tuple)}
    for name, value in request.query_params.multi_items():
        if name in repeatable:
            said.setdefault(name, []).append(value)
        elif name in said:
            raise UsageError(f"{name!r} is given twice, but may be only once; leave one of them out")
        else:
            said[name] = value
    try:
        return msgspec.convert(said, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(_sentence(str(error), said, wanted)) from None


def _sentence(trouble: str, said: dict[str, Any], wanted: type[Parameters]) -> str:
    """What was given, the rule, and what may be given."""
    known = ", ".join(wanted.__struct_fields__) or "nothing"
    if match := _FIELD.fullmatch(trouble):
        name = match["name"][:_LONGEST]
        if match["trouble"].startswith("missing"):
            return f"{name!r} is missing; this address needs it, and takes {known}"
        return f"{name!r} is unknown; this address takes {known}"
    match = _PLACE.fullmatch(trouble)
    name, rule = (match["name"], match["rule"]) if match else ("", trouble)
    value = str(said.get(name, ""))[:_LONGEST]
    return f"{name}={value!r} can't be taken: {_plain(rule)}; api/openapi.json says what may be asked"


def _plain(rule: str) -> str:
    """A rule of msgspec's, such as "Expected `int`, got `str`", in words for those who don't know the types."""
    rule = rule.partition(", got ")[0]
    for kind, words in _KINDS.items():
        rule = rule.replace(f"`{kind}`", words)
    return rule[:1].lower() + rule[1:]
