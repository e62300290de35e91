"""From a name as it is typed to what the console shows of it: runs, tensors, nodes and source files."""
