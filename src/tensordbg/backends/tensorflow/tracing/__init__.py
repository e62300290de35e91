"""Notes taken while Python traces a function, of what would be lost afterwards.

For what it was traced (`arguments.py`) is read from the TraceTypes of its FunctionType; a function's stack is that of
the call that had it traced. Which of the functions made at one definition still exist is known by weak references: it
tells a function that a loop makes anew from one that each layer has.

Losses are what a program differentiates for its variables (`differentiated.py`): two functions of TensorFlow, which
tapes and `tf.gradients` call, are looked at while a function is traced, and eagerly once for each gradient. It stands
in the site's attributes. Also noted are the names under which the program knows its tensors, and which tensors make
up one value.
"""
