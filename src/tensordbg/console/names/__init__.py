"""Names as one types them, and what the console shows of them: runs, tensors, nodes and source files."""
