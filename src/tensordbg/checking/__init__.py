"""Checks: ends a program at the first number that is not finite; knows no framework."""
