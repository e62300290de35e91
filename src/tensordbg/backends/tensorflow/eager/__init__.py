"""Eager operations and calls of functions, met before the two entries into TensorFlow's runtime (`entries.py`).

Those are `TFE_Py_FastPathExecute` and `TFE_Py_Execute`, and they are met for all threads. `recording.py` makes an
execution of each. A tensor bears a mark that says which execution made it, and so every execution knows where its
inputs came from. What bears no mark came from outside and is recorded first, as an execution of a site of type
`Input`; a variable given as an input is read.

Which bad eager values the program reads is noted (`reads.py`), as one that nothing read is no result of it. All ways
to the elements pass `EagerTensor._numpy`, the buffer protocol, whose slot in the class is replaced in the compiled
part (`native/tensorflow/buffer_reads.cpp`), DLPack, or a copy to another device. Only bad tensors are waited for, by
weak references. The note is one fact, written when the recording ends.

Eager sites are told apart by the layer of Keras under way, since a model calls all its layers from one line.
"""
