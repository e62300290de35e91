"""Says of the error that ended a PyTorch program which operation it is from, and what that was given."""
