"""The console line by line: at a prompt, fed from a pipe, or as a script."""
