"""Ports by pointing: environments written for `mujoco`, in many worlds of this engine.

How it works:

1. `original.py` makes the environment once, with `mjenv.mujoco` in the place of `mujoco`
   (`in_place.py`), and finds its model, its data and its time limit.
2. `following.py` runs a few episodes with numbers, to see which attributes (`attributes.py`) and
   which fields of the model episodes change. Each world has its own of these.
3. Then the environment's own `step` runs on symbols (`symbols.py`, `symbol_functions.py`): arrays
   of one world that record what is computed. The environment's data have symbols for fields
   (`symbolic_data.py`), and `numpy`, `math`, `float` know symbols in its modules while it is
   followed (`substitutes.py`). Every `if` of a value is followed both ways, and the results are
   joined (`paths.py`, `choices.py`). Loops over contacts (`symbolic_contacts.py`) are rewritten
   (`rewriting.py`) and run for each contact that a world may have (`folding.py`); `is`, `match`
   and `except` are calls (`identity.py`). Calls of the physics (`mj_step`, `mj_forward`) divide
   the step into parts.
4. What was recorded is a program (`program.py`), and becomes bytecode (`compiled_step.py`) by the
   assembler that tasks have: it runs in the threads of the physics (`traced_worlds.py`). Resets are
   the environment's own Python, in each world that starts.
5. A step that cannot be followed runs as it is, world by world (`single_worlds.py`). The report
   says the line, and why; there is no silent change from one to the other.

`vector.py` has episodes, time limits and infos around either; `checking.py` compares with the
environment itself.
"""
