"""Layers of Keras, and what else is known of it beside TensorFlow itself.

Layers are known by a wrapper around `Layer.__call__` (`layers.py`), set once Keras is there: it notes how many
operations the graph had before and after, and what was returned. The names of operations would not do: Keras numbers
its scopes by how often a graph was built, and eager operations have none.
"""
