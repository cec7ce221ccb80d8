"""Text from a ledger or from somebody's file, as it may go to a terminal."""


def printable(text: str) -> str:
    """The text with everything that a terminal could take for an order written as an escape.

    That is all that Unicode does not call printable: control characters, line ends, marks that turn the
    direction of writing round.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
