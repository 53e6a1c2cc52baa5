"""The command `mjenv`, beside the package: Ctrl-C while Python still loads that ends it quietly.

Importing the package takes a few tenths of a second, in which an interrupt would end in a traceback
through the modules of others.
"""

import signal
import sys


def main() -> int:
    """Load the command line and run it; returns the exit status."""
    handler = signal.getsignal(signal.SIGINT)
    # that of nohup and of the background stays: to ignore it
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mjenv.commands import cli

    signal.signal(signal.SIGINT, handler)
    try:
        return cli.main()
    except KeyboardInterrupt:
        print("mjenv: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
