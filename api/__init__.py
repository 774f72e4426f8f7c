"""The outermost room: the command line, and the service that wires a table together."""
