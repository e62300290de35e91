"""The console: commands on a trace, finished or growing, and the page of lines that each of them answers with."""
