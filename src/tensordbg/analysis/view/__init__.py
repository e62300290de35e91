"""What the page asks of a trace: pure functions from a reader to what is shown, made for traces of any length."""
