"""Ports by pointing: environments written for `mujoco`, in many worlds of this engine.

How it works:

1. `environment/`: `original.py` makes the environment once, with `mjenv.mujoco` in the place of
   `mujoco` (`in_place.py`), and finds its model, its data and its time limit. A few episodes with
   numbers show which attributes (`attributes.py`) and which fields of the model change
   (`changing.py`). Each world has its own of these. Modules of other packages are looked into
   as soon as they are given values.
2. `following/`: then the environment's own `step` runs on symbols, and so does its reset: arrays
   of one world that record what is computed (`symbols/`), and words, lists, dicts and contacts
   that differ between worlds (`varying/`). The environment's data have symbols for fields
   (`stand_ins/`), and `numpy`, `math`, `float` know symbols in its modules while it is followed
   (`substitutes.py`). Calls of the physics (`mj_step`, `mj_forward`) divide the step into parts.
3. `control/`: every `if` of a value is followed both ways, and the results are joined
   (`paths.py`). Where there are many, branches become calls (`joining.py`); loops over contacts are
   rewritten (`rewriting.py`) and run for each contact that a world may have (`folding.py`).
4. `running/`: what was recorded is a program (`program.py`), becomes bytecode
   (`compiled_step.py`) by the assembler that tasks have, is tried beside the environment
   (`dry_run.py`), and runs in the threads of the physics (`traced_worlds.py`). A reset that is not
   a program is the environment's own Python, in each world that starts. A step that cannot be
   followed runs as it is, world by world (`single_worlds.py`). The report says the line, and why;
   there is no silent change from one to the other.

Folders import from those before them: `symbols`, `varying`, `environment`, `stand_ins`, `control`,
`following`, `running`. `porting.py` chooses between the two ways, `vector.py` has episodes, time
limits and infos around either, and `checking.py` compares with the environment itself.
"""
