"""The backend for PyTorch: an observer in C++, built against the installed PyTorch, and what Python adds to it."""
