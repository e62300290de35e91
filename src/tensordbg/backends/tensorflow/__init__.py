"""Records TensorFlow and Keras."""
