"""Problems in a person's own file: read, checked, explained when they fail."""
