"""The console full-screen: panes for tensors, answers and source, and the command line below them."""
