"""Stops at lines of the user's code, before they run and behind them, with the values that they have at hand there."""
