"""The vocabulary of operations: what a rule needs to know of one, as data, with one table for each framework.

A rule says "a logarithm whose operand holds a zero", never `Log`. Which type of a framework is a logarithm, and of
which of its operands, is said here and nowhere else, so that two rules can't disagree about an operation, and another
framework is another table.

Of an operation there are its kind, its operands by role, its traits, the numbers for which it has a finite value, and
the operation of which it is the gradient (`operation.py`, `kinds.py`, `traits.py`). `lookup.py` finds them by
framework and type while a trace is read, so an old trace gains from a better table. `composites.py` knows a softmax
that is written out of exponentials and a division. Most of the analysis asks through `analysis/program/operations.py`.

A type that rules should know is added to the columns of its framework's table; the tests hold TensorFlow's table
against TensorFlow's own registry. `tests/contracts/test_vocabulary.py` reads the syntax trees: but for the folders
that are about a framework, and the files that handle its formats, no module names a type of operation.
"""
