"""Reads the logs of TensorFlow's own debugger (`tf.debugging.experimental.enable_dump_debug_info`)."""
