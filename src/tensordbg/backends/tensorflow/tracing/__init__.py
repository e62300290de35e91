"""What is learnt while Python traces a function, and would be lost afterwards.

For what it was traced, under which names the program knows its tensors, which of them make up one value, and what is
differentiated.
"""
