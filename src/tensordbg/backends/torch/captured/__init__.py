"""Knowledge that traps and replays share of a captured step: its operations, and their places in the program."""
