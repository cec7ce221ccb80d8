"""Units of work, and the engines that run them on one machine."""
