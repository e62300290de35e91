"""Answers for the page: pure functions from a reader to what is shown, made for traces of any length."""
