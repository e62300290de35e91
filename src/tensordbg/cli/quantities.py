"""Sizes and lengths of time as one types them: `20GB`, `14d`."""

from __future__ import annotations

import re

import click

_BYTES = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def bytes_of(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """The number of bytes that a text such as `20GB` means."""
    return None if value is None else int(_quantity(context, parameter, value.upper(), _BYTES, "20GB"))


def seconds_of(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """The seconds that a text such as `14d` means."""
    return None if value is None else _quantity(context, parameter, value.lower(), _SECONDS, "14d, 36h")


def _quantity(
    context: click.Context, parameter: click.Parameter, value: str, units: dict[str, int], example: str
) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", value)
    if not match or match[2] not in units:
        message = f"{value!r} is no number with one of the units {', '.join(filter(None, units))}, such as {example}"
        raise click.BadParameter(message, context, parameter)
    return float(match[1]) * units[match[2]]
