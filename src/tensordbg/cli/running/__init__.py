"""Programs that the commands run, under recording, a debugger or a trap; replays; and what is told at their end."""
