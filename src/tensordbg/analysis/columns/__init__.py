"""Columns: the tables of a trace as NumPy arrays, and what is done with them whole.

All of the analysis is array algebra over these: reading a column piece by piece, looking rows up by several numbers
at once, spreading a mark along edges. Nothing here knows what an operation is.
"""
