"""Events as the native log writes them, and the tables that come of them.

**While the program runs**, events go into segments: memory-mapped files of `segment_records` slots of 256 bytes
(`native/record.h`, `record.py`). A writer reserves the next sequence number with one atomic addition, fills the slot
and stores the sequence number last. So any number of threads append without a lock or the GIL, a reader can follow,
and what was written outlives `kill -9`: the pages belong to the kernel. Sequence s (from 1) lies in segment (s-1) /
`segment_records`. A slot whose sequence is 0 was never finished; it is skipped. JSON lines are appended with one
unbuffered `write` each, before anything refers to them. A cut last line is normal. A row with a number that was
already given replaces the former one, since a site learns what it calls only later.

**Whole tensors** are kept in `values/` (`native/log/values.h`, `values.py`), written before their event: a thread
reserves room with one atomic addition and writes there, at a multiple of 64. The event holds the position. The first
tensor beyond the budget, or a failed write, ends the keeping with one warning; events go on.

**Only the last events.** With `--last N`, or the circular buffer of `enable_dump_debug_info`, `native/log/recent.cpp`
keeps the last N executions and the last N tensors of graphs, and uses the slots of what is dropped again, in place.
So the segments grow no larger than what is kept, the kernel writes each page back once in its interval however often
it changes, nothing has to be done at the end, and a killed process leaves what it had. Two other ways were turned
down: to drop whole segments (each new one costs a file and page faults, and one old event keeps a segment alive), and
`/dev/shm` (small in containers, and what a killed process leaves there takes memory). Appending takes a lock, for a
sequence number, a copy of 256 bytes and what is dropped; a tensor is measured before that. Records of an execution go
together; an execution without inputs, mostly a value from outside, is counted apart, four for each execution. A call
that is too old stays while it is open, or while a tensor computed between its beginning and its end is there.
`recent.py` copies the slots and puts them in order; all that follows sees a plain segment. Such segments are sealed
only at the end, in one step. Files of values are small then, and deleted with the last value in them. How many
records are gone is the difference between the largest sequence number and their count; an origin whose inputs may be
among those gets the cause `before_kept_events`.
"""
