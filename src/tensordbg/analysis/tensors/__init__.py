"""Single tensors: their history over steps and iterations, their elements, and values made up of several tensors."""
