"""Where the elements of an input pipeline come from: a traced dataset carries the name of each along."""
