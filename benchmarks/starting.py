"""How long it takes until tensordbg is there: `import tensordbg` and `tdbg --help`, each in a process of its own."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

TIMES = 15
IMPORT = "import time\nbegan = time.perf_counter()\nimport tensordbg\nprint(time.perf_counter() - began)"


def import_seconds() -> float:
    """What the import itself takes, without the interpreter's start."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True, text=True).stdout)


def help_seconds() -> float:
    """From the command to its end."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "tensordbg", "--help"], capture_output=True, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Prints the medians."""
    for name, wanted, seconds in (("import tensordbg", 50, import_seconds), ("tdbg --help", 150, help_seconds)):
        milliseconds = 1e3 * statistics.median(seconds() for _ in range(TIMES))
        print(f"{name:18} {milliseconds:6.1f} ms  (wanted: at most {wanted} ms)")


if __name__ == "__main__":
    main()
