from __future__ import annotations

import subprocess
import sys

from tensordbg.analysis.query_limits import Limits
from tensordbg.cli.commands.sql import command


def test_the_command_has_the_limit_of_all_queries() -> None:
    (limit,) = (each for each in command.params if each.name == "seconds")
    assert limit.default == Limits().seconds > 0


def test_naming_the_limits_loads_no_database() -> None:
    code = "import sys, tensordbg.analysis.query_limits; sys.exit('duckdb' in sys.modules or 'pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
