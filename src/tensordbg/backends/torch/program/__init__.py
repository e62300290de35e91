"""The modules and variables of a program, and the steps in which it trains them."""
