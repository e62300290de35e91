"""Hands the files of tests to the workers, and goes on where a worker dies.

pytest-xdist's own (3.8, `--dist loadfile`) never ends then: it puts the files that were done back to those that wait, a
worker that is given one of them has nothing to tell, and so it gets no other; a worker that takes the place of another
waits with a single test until it gets a second; and the test that killed one worker is given to the next.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class Scheduler(LoadFileScheduling):
    """Gives whole files, in the order in which they were collected; a test that kills its worker runs once."""

    def remove_node(self, node: WorkerController) -> str | None:
        """Takes a worker out; what it had left goes to others, but for the test at which it died, which is returned."""
        waiting = [(scope, tests) for scope, tests in self.assigned_work.pop(node).items() if not all(tests.values())]
        if not waiting:
            return None
        tests = waiting[0][1]
        deadly = next(test for test, done in tests.items() if not done)
        tests[deadly] = True
        self.workqueue.update((scope, tests) for scope, tests in waiting if not all(tests.values()))
        for other in self.assigned_work:
            self._reschedule(other)
        return deadly

    def _reschedule(self, node: WorkerController) -> None:
        """Gives a worker more files until it has two tests: it begins with a test once it knows the next."""
        super()._reschedule(node)
        while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            self._assign_work_unit(node)
