from __future__ import annotations

import pytest

from tensordbg.analysis.program.function_titles import function_title


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("step", "step"),
        ("__backward_f_191", "gradient of f"),
        ("__inference___backward_f_94_260", "gradient of f"),
        ("__inference_train_step_83", "train_step"),
        ("__backward___backward_f_94_260", "gradient of gradient of f"),
        ("loss_backward_2", "loss_backward_2"),
        ("__backward_f", "__backward_f"),
    ],
)
def test_a_backward_pass_is_the_gradient_of_its_function(name: str, title: str) -> None:
    assert function_title(name) == title
