"""What the commands run: programs under recording, a debugger or a trap, and replays; what is told at their end."""
