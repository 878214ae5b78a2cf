"""Run `python -m assay`, if the command is not on the path."""

from assay.cli import main

if __name__ == "__main__":
    main()
