"""The console's commands, each in the module of its name; `tensordbg.console.command_table` lists them."""
