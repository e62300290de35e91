"""A page in one file, with its answers and sources in it, that opens without a server."""
