"""A run of many processes: which of them went bad first, and how it came to the others.

Each process is studied by itself, then they are joined (`joined.py`). They meet where operations exchange tensors
(`collective_transfers.py`): where something bad came out of a collective operation into which a process had put
nothing bad, the same run of that operation, found by group and instance key, shows in the other processes which origin
it came from. Only columns of collective operations are kept of a process while the next is read.
"""
