"""Programs whose training goes well: `tdbg why` has nothing to warn of."""
