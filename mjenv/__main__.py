"""`python -m mjenv` is the command line."""

import sys

from mjenv.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
