"""`python -m mjenv.mujoco script.py ...`: a program with this module in the place of `mujoco`.

`python -m mjenv.mujoco -m pytest ...` runs a module. Arguments are the program's own.
"""

import runpy
import sys
from pathlib import Path

from mjenv.mujoco.installing import install

USAGE = (
    "usage: python -m mjenv.mujoco script.py [arguments]\n"
    "       python -m mjenv.mujoco -m module [arguments]"
)


def main() -> None:
    """Run the program that the command line names."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help") or words == ["-m"]:
        sys.exit(USAGE)
    install()
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path[0] = str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
