"""What is known of Keras beside TensorFlow itself."""
