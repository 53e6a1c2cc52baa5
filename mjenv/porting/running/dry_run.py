"""A program beside the environment's own step, before it is used.

What is followed has to be what Python does. That it is, a few episodes show, in the first world:
the environment's own steps on the same engine, with the same actions and random numbers.
"""

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.porting.environment.attributes import is_number
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.states_of_generators import all_copied, content_of
from mjenv.porting.running.distances import first_difference, named_parts
from mjenv.porting.running.program import leaves
from mjenv.porting.running.traced_resets import put_back
from mjenv.porting.stand_ins.spaces import random_actions

if TYPE_CHECKING:
    from mjenv.porting.running.traced_worlds import Steps, TracedWorlds

_SEEDS = (5, 77, 1234, 2, 31, 8)
_NSTEP = 4
_NRESET = 12
_NEAR = 1e-3  # contacts make this of float32's rounding in a step; another meaning is further away


def dry_run(worlds: "TracedWorlds") -> str:
    """Run steps of the program and of the environment; say how they differ, "" if they do not."""
    while True:
        program = worlds.program
        fresh, generators = [a.copy() for a in worlds.arrays], all_copied(worlds._generators[0])
        found = next((words for seed in _SEEDS if (words := _episode(worlds, seed))), "")
        # what only later resets change had better be known now than in a training
        for seed in range(0 if found else _NRESET):
            worlds.start(0, seed, None)
        worlds._original.renew()
        worlds._generators[0] = generators
        if worlds.program is program:
            put_back(worlds, fresh)
            return found
        # a reset has shown what is no constant
        worlds._begun[0] = False


def _episode(worlds: "TracedWorlds", seed: int) -> str:
    """One episode: the first difference in words."""
    program, original = worlds.program, worlds._original
    worlds.start(0, seed, None)
    rng, space = np.random.default_rng(seed), copy.deepcopy(original.env.action_space)
    space.seed(seed)
    theirs = all_copied(worlds._generators[0])
    warned = original.data.batch.warning_numbers.copy()
    for step in range(_NSTEP):
        if worlds.program is not program:
            return ""
        actions = random_actions(space, rng, len(worlds.data.qpos))
        with ours_by_name(), original.generators.lent(theirs, None):
            try:
                results: Any = original.root.step(actions[0].copy())
            except Exception:
                return ""  # of its own, as it may raise one then
        # a world that is put back as it became unstable
        if (original.data.batch.warning_numbers != warned).any():
            return ""
        ours = worlds.step(actions, np.array([0]))
        if worlds.program is not program:
            return ""
        found = _difference(worlds, ours, results)
        drawn = [content_of(one) for one in theirs]
        if not found and drawn != [content_of(one) for one in worlds._generators[0]]:
            found = "other random numbers asked for"
        if found:
            return f"seed {seed}, step {step}: found {found} of the environment's own step"
        if results[2] or results[3]:
            break
        # rounding does not add up
        worlds.take(0)
    return ""


def _difference(worlds: "TracedWorlds", ours: "Steps", theirs: Any) -> str:
    """What differs in the results of a step, and in what it leaves."""
    observation, reward, terminated, truncated, info = theirs
    places, data = worlds._original.places, worlds._original.data
    mine = {name: x[0] for name, x in named_parts(ours.observation).items()}
    their = named_parts(leaves(observation))
    pairs = {
        "reward": (ours.reward[0], reward), "terminated": (ours.terminated[0], terminated),
        "truncated": (ours.truncated[0], truncated),
    }  # fmt: skip
    pairs |= {f"info {n}": (ours.info[n][0], x) for n, x in info.items()
              if is_number(x) and is_number(ours.info.get(n))}  # fmt: skip
    pairs |= {f"data.{n}": (getattr(worlds.data, n)[0], getattr(data, n)) for n in ("qpos", "qvel")}
    for slot in worlds.program.slots:
        value = places.get(slot.path)
        value = np.full(np.shape(slot.sample), np.nan) if value is None else value
        pairs[slot.field] = worlds.attributes[slot.field][0], value
    mine |= {name: one for name, (one, _) in pairs.items()}
    their |= {name: other for name, (_, other) in pairs.items()}
    return first_difference(mine, their, _NEAR)
