"""The command line: commands, what people read, progress, interrupts."""
