"""`tdbg upload`: puts traces that lie on the local disk into object storage."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import complete_folder
from tensordbg.errors import TraceError, UsageError


@click.command("upload")
@click.argument("folder", metavar="FOLDER", shell_complete=complete_folder)
@click.argument("address")
def command(folder: str, address: str) -> None:
    """Put the traces in FOLDER into object storage, at ADDRESS, such as s3://bucket/run.

    FOLDER is a trace, or a folder of traces. Nothing is deleted on this machine.
    """
    from tensordbg.cli.output import print_note, working
    from tensordbg.remote.addresses import address_of
    from tensordbg.remote.storage import Storage
    from tensordbg.remote.uploading import Uploading
    from tensordbg.trace.locate import find_trace

    where = address_of(address)
    if where is None:
        raise UsageError(f"{address}: is no address of object storage; give one such as s3://bucket/run")
    if address_of(folder) is not None:
        raise UsageError(f"{folder}: lies in object storage already; give a folder of this machine")
    find_trace(folder)
    with working(f"putting {folder} into {where}"):
        done = Uploading(Path(folder), Storage(where)).finish()
    if done.failure:
        raise TraceError(f"{done.failure}; nothing is lost, give the same command again")
    print_note(f"tdbg: {done.files} files are in {where}; `tdbg why {where}` reads them there")
