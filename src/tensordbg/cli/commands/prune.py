"""`tdbg prune`: deletes old runs, but for those in which something was found."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, Form, complete_folder, forms_of_listing
from tensordbg.cli.quantities import bytes_of, seconds_of
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.trace.folders.pruning import StoredRun


@click.command("prune")
@click.argument("folder", default=DEFAULT_FOLDER, metavar="[FOLDER]", shell_complete=complete_folder)
@click.option("--older-than", metavar="TIME", callback=seconds_of, help="Runs that ended so long ago: 14d, 36h.")
@click.option(
    "--larger-than", metavar="SIZE", callback=bytes_of, help="The oldest runs beyond this, all together: 20GB."
)
@click.option(
    "--with-findings", is_flag=True, help="Also runs in which tensors are not finite, or that ended with an error."
)
@click.option("--delete", "really", is_flag=True, help="Delete them; else they are only listed.")
@forms_of_listing
def command(
    folder: str, older_than: float | None, larger_than: int | None, with_findings: bool, really: bool, form: Form
) -> int:
    """List the runs in FOLDER that are old or too many, and delete them with --delete.

    FOLDER is tdbg-traces by default. Kept are the newest run, what is being recorded, what can't be read, and runs in
    which something was found.
    """
    from tensordbg.cli.output import print_note, working
    from tensordbg.remote.addresses import address_of
    from tensordbg.report.pruned import pruned_sentence
    from tensordbg.trace.folders.place import is_trace
    from tensordbg.trace.folders.pruning import Limits, chosen, stored_runs

    if older_than is None and larger_than is None:
        raise UsageError("nothing says what may go; give --older-than 14d, --larger-than 20GB, or both")
    if address_of(folder) is not None:
        raise UsageError(
            f"{folder}: only runs on this machine are deleted; object storage has rules of its own for that"
        )
    if is_trace(Path(folder)):
        raise UsageError(f"{folder}: is a trace itself; give the folder of runs in which it lies")
    spare = Limits().spare - ({"findings"} if with_findings else set())
    with working(f"reading {folder}"):
        runs = chosen(stored_runs(Path(folder)), Limits(older_than, larger_than, spare), time.time())
    if not runs and form is Form.TABLE:
        print_note(f"{folder} holds no runs")
        return 0
    _print(runs, form)
    refused = _delete([run for run in runs if run.goes]) if really else []
    print_note(f"tdbg: {pruned_sentence(runs, deleted=really)}")
    return int(bool(refused))


def _print(runs: list[StoredRun], form: Form) -> None:
    from tensordbg.cli.output import print_csv, print_json, print_rich

    if form is Form.JSON:
        from tensordbg.wire.stored_runs import stored_runs_to_json

        print_json(stored_runs_to_json(runs))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import stored_runs_to_csv

        print_csv(stored_runs_to_csv(runs))
    else:
        from tensordbg.report.pruned import pruned_table

        print_rich(pruned_table(runs, time.time()))


def _delete(runs: list[StoredRun]) -> list[str]:
    """Deletes runs; what could not be deleted is told, and given back."""
    from tensordbg.cli.output import print_note
    from tensordbg.errors import RecordingError
    from tensordbg.trace.folders.pruning import delete

    refused = []
    for run in runs:
        try:
            delete(run)
        except RecordingError as error:
            refused.append(run.name)
            print_note(f"tdbg: error: {error}")
    return refused
