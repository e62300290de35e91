"""The language that one types into the console beside commands: words, conditions, expressions, patterns and ranges.

Nothing of it runs Python's own `eval`; what could take the program's memory or time is computed in a process of its
own.
"""
