"""The problems that ship with Frontrow, one file each; a file is found by its name."""
