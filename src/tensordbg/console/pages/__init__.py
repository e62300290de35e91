"""Pages: what a command answers with, made line by line as it is looked at, and how one moves about in them."""
