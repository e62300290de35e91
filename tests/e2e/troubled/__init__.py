"""Programs whose numbers stay finite and are wrong all the same."""
