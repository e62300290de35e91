"""Checks of what sessions compute, by watches on the partitioned graph; also of what the runtime never computed."""
