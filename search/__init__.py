"""Search on rows, pure: the words of the language, the algorithms, the problems."""
