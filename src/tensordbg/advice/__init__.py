"""What can be done: the fix for each cause, warning and alert, as text, with one file for each framework.

A rule says `fix(framework, "log_of_zero", "softmax")`. What holds for every framework stands in `common.py`.
"""
