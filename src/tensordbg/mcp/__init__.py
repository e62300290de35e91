"""A server of the Model Context Protocol over traces: what `tdbg why`, `ls`, `show` and `diff` answer, read only."""
