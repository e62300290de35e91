"""Origins of data: a traced dataset carries the name of each element along, so a bad row can be named.

A traced dataset (`dataset.py`) is a dataset of pairs, element and name, with a last map that takes the names off, so
to the program it is an ordinary one; each method that is known is made on the pairs. The last map notes the names of
a batch, with a fingerprint of each row, in a ring of TensorFlow's own hash tables (`notes.py`): a captured batch is
known again by its rows, however far prefetching was ahead. A mapped function is noted before and removed behind it,
so what is left after an error, or for long, is what the pipeline was at.
"""
