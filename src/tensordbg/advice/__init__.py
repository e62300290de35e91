"""Advice: the fix for each cause, warning and alert, as text, with one file for each framework.

A rule says `fix(framework, "log_of_zero", "softmax")`: the framework of the site, what is wrong, and what else is
known of it. What holds for every framework stands in `common.py`, all else in the framework's file. The tests hold
that each has a fix in every framework, or that the framework's file says why it can't come up there, and that no rule
names a framework's API.
"""
