"""Worlds of a port: the program that was recorded, or the environment's own code.

`program.py` is what is needed of what was recorded, `step_code.py` and `compiled_step.py` make
bytecode of it, `dry_run.py` tries it beside the environment, `traced_worlds.py` runs it; worlds of
`single_worlds.py` run the environment's own step one after the other.
"""
