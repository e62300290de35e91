"""The backends: each hooks into one framework, which is imported nowhere else.

`backend.py` of each folder has its roles; `recording/backend.py` says what a role must do. Where two backends have
the same thing, it has the same name in both.
"""
