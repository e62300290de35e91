"""Comparing two runs: where the numbers of two implementations of one model part first, and what differs there.

Names, graphs, layouts and frameworks may be unequal, so values are matched by what was measured of them: two tensors
of one size with the same extremes and sums are the same value, transposed or not. `numbers.py` reads what is compared
of a trace, `edges.py` which of it was made from which, and `matching.py` finds the partner of each value. What has none
forms two regions, one in each run; `regions.py` keeps those that matter: what one side alone computes and then lets go,
or what leads back to equal values, is a fused or rewritten computation and no difference. `first_difference.py`
pairs the first of what is left, and `differences.py` says what differs there. `compare.py` ties it together.

"""
