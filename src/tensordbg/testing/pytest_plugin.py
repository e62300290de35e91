"""The plugin of pytest: `pytest --tdbg` records each test, and fails it with the report where numbers went wrong.

Without `--tdbg` it adds an option and a marker, and nothing else of tensordbg is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

MARKER = (
    "tdbg_allow(op=..., name=..., line=..., nan=...): where `pytest --tdbg` lets infinities of this test pass, "
    "as in [tool.tensordbg]; without arguments all numbers"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("tensordbg")
    group.addoption(
        "--tdbg",
        action="store_true",
        help="Record each test with tensordbg, and fail it at the first number that matters and is not finite.",
    )
    group.addoption(
        "--tdbg-out",
        metavar="DIR",
        default="tdbg-traces",
        help="The folder in which traces of failed tests are kept; tdbg-traces by default.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known; records tests where that is asked for."""
    config.addinivalue_line("markers", MARKER)
    if config.getoption("--tdbg"):
        from tensordbg.testing.recorded_tests import RecordedTests

        config.pluginmanager.register(RecordedTests(config), "tensordbg-recorded-tests")
