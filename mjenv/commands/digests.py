"""The command that compares the bits of every environment with those that are recorded."""

import argparse
import time

from mjenv.commands.command import Command
from mjenv.engine.errors import nearest


def digests(arguments: argparse.Namespace) -> int:
    """Step environments, and compare digests of what they do with the recorded ones."""
    from mjenv.digests.record import FILE, PICTURED, difference, names, recorded, write
    from mjenv.digests.trajectory import of_environment

    chosen = [name.removeprefix("mjenv/") for name in arguments.env] or names()
    for name in chosen:
        if name not in names():
            raise ValueError(
                f"{name}: no such environment of mjenv; `mjenv envs` lists them"
                f"{nearest(name, names())}"
            )
    # a record of some environments keeps the rows of the others
    everything = arguments.record and not arguments.env
    table = {} if everything else recorded()
    differing, begun = 0, time.perf_counter()
    for name in chosen:
        found = of_environment(f"mjenv/{name}", name in PICTURED)
        if arguments.record:
            table[name] = found
            continue
        words = difference(found, table[name])
        differing += words is not None
        print(f"{name:28} {'same' if words is None else 'DIFFERS: ' + words}", flush=True)
    # the table in the order of the names, whatever the order of the recording
    if arguments.record:
        write({name: table[name] for name in names() if name in table})
        print(f"recorded {len(chosen)} environments in {FILE}")
        return 0
    seconds = time.perf_counter() - begun
    print(f"{len(chosen) - differing} of {len(chosen)} have the recorded bits ({seconds:.0f} s)")
    return 1 if differing else 0


def options(sub: argparse.ArgumentParser) -> None:
    """Add the options for environments, and for what is done with them."""
    sub.add_argument(
        "env", metavar="ENV", nargs="*", help="an environment; all of mjenv's by default"
    )
    sub.add_argument(
        "--record", action="store_true", help="write the digests instead of comparing them"
    )
    sub.epilog = (
        "A digest stands for the bits of a model, of the first observations, of 1,000 steps of nine"
        " worlds, and of a picture; exit status 1 says that some differ on this machine."
    )


COMMANDS = (
    Command(
        "digests",
        digests,
        "compare the bits of every environment with the recorded ones",
        options,
    ),
)
