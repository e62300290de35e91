"""Origins: the bad values that were made from nothing bad, and all that is told of each.

`find.py` finds them in the data flow. What is allowed, caught by a loss scale or dropped is told apart; the evidence
for a cause is gathered; origins of one root are grouped; and `reporter.py` has the findings made of it.
"""
