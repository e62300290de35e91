"""A training that runs is watched from outside, and what goes wrong in it is told once: `tdbg watch`.

`looking.py` reads the run when it has grown, `news.py` says what is new in it, `telling.py` has a command run or a
webhook called, `metrics.py` answers Prometheus, and `watcher.py` puts them together. The program that is watched
takes no part and waits for nothing.
"""
