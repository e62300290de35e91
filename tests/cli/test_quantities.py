"""Sizes and lengths of time as one types them."""

from __future__ import annotations

import click
import pytest

from tensordbg.cli.quantities import bytes_of, seconds_of

CONTEXT, PARAMETER = click.Context(click.Command("prune")), click.Option(["--size"])


def test_numbers_with_their_units() -> None:
    assert [bytes_of(CONTEXT, PARAMETER, text) for text in ("7", "20GB", "1.5 mb")] == [7, 20 * 10**9, 1_500_000]
    assert [seconds_of(CONTEXT, PARAMETER, text) for text in ("30s", "2h", "14d", "1W")] == [
        30,
        7200,
        1_209_600,
        604_800,
    ]
    assert bytes_of(CONTEXT, PARAMETER, None) is None


@pytest.mark.parametrize("text", ["", "d", "-3d", "3 fortnights", "1e3d", "3"])
def test_what_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(click.BadParameter, match="such as 14d"):
        seconds_of(CONTEXT, PARAMETER, text)
