"""The program that a trace describes, before anybody asks what went wrong: operations, functions, calls, places.

`description.py` has the sites, functions, stacks and variables by number; the other modules number what has none
(ports, places), open calls (`call_tree.py`), and tell what part an operation plays. What is known of its type is
asked of the vocabulary in one module, `operations.py`.
"""
