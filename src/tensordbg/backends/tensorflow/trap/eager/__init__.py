"""Steps that run eagerly: noted operation by operation, tested before the update, written as a graph where bad."""
