"""Records a program into a trace; knows no framework, only what a backend is."""
