"""The vocabulary of operations: what a rule needs to know of one, as data, with one table for each framework.

A rule says "a logarithm whose operand holds a zero", never `Log`. Which type of a framework is a logarithm, and of
which of its operands, is said here and nowhere else, so that two rules can't disagree about an operation, and another
framework is another table.
"""
