"""``python -m frontrow`` is the ``frontrow`` command."""

from frontrow.cluster.command.app import main

if __name__ == "__main__":
    main()
