"""The page in TensorBoard: a tab over the same answers as `tdbg view` gives."""
