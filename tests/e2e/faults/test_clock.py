"""The clock on the wall goes backwards all the time: nothing of a recording goes by it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.faults.programs import both_ways, tdbg, training

BACKWARDS = """
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Each look at the clock on the wall finds it a second earlier, beginning an hour from now. */
int clock_gettime(clockid_t clock, struct timespec* now) {
  static atomic_long looks;
  const int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += 3600 - atomic_fetch_add(&looks, 1);
  return result;
}
"""


@pytest.fixture
def backwards(tmp_path: Path) -> str:
    """A library that turns the clock back."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "backwards.c").write_text(BACKWARDS)
    library = tmp_path / "backwards.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "backwards.c")], check=True)
    return str(library)


def test_nothing_is_lost_or_out_of_order(tmp_path: Path, backwards: str) -> None:
    both = both_ways(tmp_path, training(), LD_PRELOAD=backwards)
    recorded = both.read()
    assert both.plain.code == 0, both.plain.err
    assert "recording stopped" not in both.recorded.err
    assert [event.step for event in recorded.of("Log")] == [0, 1, 2, 3, 4, 5]
    times = [event.row["time_ns"] for event in recorded.of("Log")]
    assert times == sorted(times)
    end = recorded.reader.facts.end
    assert end is not None
    assert end.time_ns > times[-1] > recorded.reader.metadata.created_ns
    assert recorded.reader.finished
    assert not recorded.reader.running
    why = tdbg(tmp_path / "recorded", "why")
    assert why.code == 0, why.err
    assert "y = tf.math.log(x)" in why.out
