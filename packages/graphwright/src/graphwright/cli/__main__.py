"""`python -m graphwright.cli`: the command line if its script is not on the path."""

from graphwright.cli import main

main()
