"""Records a program into a trace; knows no framework, only the protocol of a backend."""
