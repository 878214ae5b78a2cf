"""`python -m assay`, where the command is not on the path."""

from assay.cli import main

main()
