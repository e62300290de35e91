"""The local folder of `tdbg run --out s3://...`, and what is said of its way into object storage."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tensordbg.cli.output import working
from tensordbg.errors import RecordingError, TraceError
from tensordbg.remote.copies import call_it
from tensordbg.remote.storage import Storage
from tensordbg.remote.uploading import BesideProgram, Uploading


@dataclass(frozen=True)
class Upload:
    """A folder for traces on the local disk, which is put into object storage as long as the `with` block runs."""

    folder: Path
    address: str
    uploading: Uploading
    beside: BesideProgram

    @classmethod
    def begin(cls, address: str) -> Upload:
        """Makes the folder, once it is known that object storage takes something.

        Raises:
            UsageError: If the address is of a kind that is not known here.
            RecordingError: If it can't be reached, or no folder can be made.
        """
        storage = Storage(address)
        try:
            storage.write(_PROBE, b"")
            storage.delete(_PROBE)
            folder = Path(tempfile.mkdtemp(prefix="tdbg-upload-")).resolve()
        except TraceError as error:
            raise RecordingError(f"{error}, or record into a folder by --out DIR") from None
        except OSError as error:
            raise RecordingError(
                f"{tempfile.gettempdir()}: no trace can be written there ({error.strerror}); name another folder by "
                "TMPDIR"
            ) from None
        call_it(folder, address)
        uploading = Uploading(folder, storage)
        return cls(folder, address, uploading, BesideProgram(uploading))

    def __enter__(self) -> Upload:
        self.beside.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.beside.__exit__(kind, error, traceback)

    def finish(self) -> None:
        """Puts in place what is not there yet; the local folder goes once all is, and is named where it can't be."""
        try:
            with working(f"putting the trace into {self.address}"):
                done = self.uploading.finish()
        except KeyboardInterrupt:
            self._tell_kept("was interrupted")
            return
        if done.failure:
            self._tell_kept(done.failure)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _tell_kept(self, why: str) -> None:
        again = f"tdbg upload {shlex.quote(str(self.folder))} {shlex.quote(self.address)}"
        print(
            f"tdbg: warning: not all is in {self.address}: {why}; it lies in {self.folder}, and `{again}` goes on",
            file=sys.stderr,
        )


_PROBE = ".tdbg-writes"
"""A name that is written and deleted, before a program runs for hours in vain."""
