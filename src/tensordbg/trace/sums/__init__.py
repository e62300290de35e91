"""Sums over all events of a trace, which `sealed.json` keeps: in whole, by step, and digests of values.

They tell one trace of a thousand from the others without a look at its events.
"""
