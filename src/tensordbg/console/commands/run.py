"""`run` (`r`): makes the next run, several of them, or goes on until a tensor passes a filter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.console import Answer
from tensordbg.console.options import PATTERN
from tensordbg.console.runner_of import waiting_runner
from tensordbg.console.running import Go, GoKind, Recorded
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("run", add_help_option=False)
@click.option("-t", "--times", type=click.IntRange(min=1), metavar="T", help="T runs, of which the last is recorded.")
@click.option("-n", "--no_debug", is_flag=True, help="Record nothing.")
@click.option("-f", "--till_filter_pass", "till", default="", metavar="FILTER", help="Until a tensor passes a filter.")
@click.option("-fenn", "--filter_exclude_node_names", "exclude", type=PATTERN, help="... but no node with such a name.")
@click.option("--node_name_filter", type=PATTERN, help="Record only nodes with such names.")
@click.option("--op_type_filter", type=PATTERN, help="Record only operations of such types.")
@click.option("--tensor_dtype_filter", type=PATTERN, help="Record only tensors of such types.")
@click.pass_obj
def command(console: Console, /, till: str, exclude: re.Pattern[str] | None, **options: Any) -> Answer:
    """Make the next run and stop after it.

    FILTER is a name such as non_finite, or a condition such as 'Log* : min < 0'; see `help filters`.
    """
    waiting_runner(console)
    if exclude is not None and not till:
        raise UsageError("-fenn leaves nodes out of a filter; give the filter with -f too")
    if options["no_debug"] and till:
        raise UsageError("a filter needs the tensors that -n does not record; leave one of the two out")
    if options["times"] is not None and till:
        raise UsageError("-t says when to stop and so does -f; leave one of the two out")
    texts = (_text(options[name]) for name in ("node_name_filter", "op_type_filter", "tensor_dtype_filter"))
    recorded = None if options["no_debug"] else Recorded(*texts)
    wanted = console.filters.parse(till) if till else None
    return Answer(go=Go(GoKind.RUN, options["times"] or 1, recorded, wanted, _text(exclude)))


def _text(pattern: re.Pattern[str] | None) -> str:
    return "" if pattern is None else pattern.pattern
