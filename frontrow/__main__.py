"""``python -m frontrow`` is the ``frontrow`` command."""

from frontrow.cluster.cli import main

if __name__ == "__main__":
    main()
