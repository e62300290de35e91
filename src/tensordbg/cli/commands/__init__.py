"""The commands, each in the module of its name: it parses, makes one call and prints. `group.py` lists them."""
