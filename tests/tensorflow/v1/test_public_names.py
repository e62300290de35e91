"""The names of TensorFlow 1's debugger are called as TensorFlow's own are."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from tensordbg.tensorflow import v1


def test_importing_the_names_does_not_import_tensorflow() -> None:
    program = "import sys, tensordbg.tensorflow.v1; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", v1.__all__)
def test_the_signature_is_that_of_tensorflow(name: str) -> None:
    from tensorflow.python import debug

    def of(value: object) -> list[tuple[str, object]]:
        return [(each.name, each.default) for each in inspect.signature(value).parameters.values()]  # type: ignore[arg-type]

    assert of(getattr(v1, name)) == of(getattr(debug, name))


@pytest.mark.parametrize("name", ["LocalCLIDebugWrapperSession", "DumpingDebugWrapperSession"])
def test_a_wrapper_has_what_tensorflows_has(name: str) -> None:
    from tensorflow.python import debug

    own = {"add_tensor_filter"} if name.startswith("Local") else set()
    used = {"run", "make_callable", "partial_run", "partial_run_setup", "run_step_fn", "as_default", "graph", "session"}
    for each in used | own:
        assert hasattr(getattr(debug, name), each)
        assert hasattr(getattr(v1, name), each)
