"""The debugger: stands before and behind each run of a program, stops it there, and opens the console within it."""
