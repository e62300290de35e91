"""The functions by which TensorFlow's Debugger V2 is switched on, and what they mean for a recording."""
