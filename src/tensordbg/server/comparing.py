"""Compares two of the runs that a server shows; an answer is kept until one of the two has grown."""

from __future__ import annotations

import threading
from collections import OrderedDict

from tensordbg.analysis.diff.compare import Asked, compare
from tensordbg.report.diff_text import headline, of_both, sentences, totals
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.comparison import ComparisonTexts, ComparisonView, comparison_view

_KEPT = 4


class Comparisons:
    """The comparisons that were asked for last; may be asked from several threads at once."""

    def __init__(self) -> None:
        """Nothing is compared yet."""
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[tuple[str, int], ...], ComparisonView] = OrderedDict()

    def compared(self, a: RunAnswers, b: RunAnswers, process: str) -> ComparisonView:
        """Compares a process of two runs, the first of which is the reference.

        Raises:
            TraceError: If one of them can't be read.
        """
        reference, other = a.trace(""), b.trace(process)
        key = tuple((str(each.reader.path), each.growth.revision) for each in (reference, other))
        with self._lock:
            if key in self._known:
                return self._known[key]
            result = compare(reference, other, Asked())
            first = result.first
            texts = ComparisonTexts(
                headline(result),
                () if first is None else tuple(of_both(first)),
                () if first is None else tuple(sentences(first)),
                totals(result),
            )
            self._known[key] = view = comparison_view(result, texts)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return view
