"""The table of events: its orders and pages, and one tensor's events over the steps."""
