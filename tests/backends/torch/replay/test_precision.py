from __future__ import annotations

import numpy as np

from tensordbg.backends.torch.replay.precision import Precision


def test_narrower_types_become_the_one_that_is_asked_for() -> None:
    double, single, plain = Precision("float64"), Precision("float32"), Precision("")
    assert [double.number(each) for each in (5, 6, 15, 9, 7, 4)] == [7, 7, 7, 10, 7, 4]
    assert [single.number(each) for each in (5, 6, 15)] == [6, 6, 6]
    assert double.widen(np.ones(2, np.float32)).dtype == np.float64
    assert single.widen(np.ones(2, np.float32)).dtype == np.float32
    assert double.widen(np.ones(2, np.int64)).dtype == np.int64
    assert (bool(double), bool(plain)) == (True, False)
