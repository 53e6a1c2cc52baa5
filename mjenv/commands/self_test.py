"""Checks of an installation, each a row of a table, in a process of their own.

Run as a program, it prints a line of JSON after each check, so that the process that waits knows
how far it has come, whatever ends it.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

MODEL = """
<mujoco>
  <option timestep="0.001" integrator="RK4"/>
  <worldbody>
    <light pos="0 0 3"/>
    <camera pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <body pos="0 0 1">
      <joint type="hinge" axis="0 1 0"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .5 0 0" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>
"""
GRAVITY = 9.81  # m/s^2
NSTEP = 200
DIGESTS = ("HalfCheetah-v5", "cartpole-swingup-v0")  # `mjenv digests` compares all


def physics() -> str:
    """A pendulum that falls from rest keeps its energy.

    With the classical Runge-Kutta method the energy is off by the fourth power of the step.
    """
    import mjenv

    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model)
    mjenv.step(model, data, nstep=NSTEP)
    angle, speed = float(data.qpos[0, 0]), float(data.qvel[0, 0])
    # about the hinge: the inertia of the body, that of its mass at its centre, and its weight there
    mass, length = model.body_mass[1], model.body_ipos[1, 0]
    inertia = model.body_inertia[1, 0] + mass * length**2
    energy = inertia * speed**2 / 2 - mass * GRAVITY * length * np.sin(angle)
    if not (speed > 1 and abs(energy) < 1e-9):
        raise ValueError(f"energy of a pendulum: found {energy} J after {NSTEP} steps, expected 0")
    return f"energy of a pendulum is kept to {abs(energy):.0e} J"


def lanes() -> str:
    """Worlds in lanes and over threads have the bits of worlds alone."""
    import mjenv

    model = mjenv.Model.from_xml_string(MODEL)
    starts = np.linspace(-1, 1, 17)
    found = []
    settings: dict[str, Any]
    for settings in ({}, {"nthread": 1}, {"width": 1}):
        data = mjenv.Data(model, nworld=len(starts), **settings)
        data.qpos[:, 0] = starts
        mjenv.step(model, data, nstep=NSTEP)
        found.append(data.qpos.tobytes())
    if len(set(found)) != 1:
        raise ValueError(
            "17 worlds: found different bits in lanes, in threads and alone, expected equal ones"
        )
    return "17 worlds have the same bits in lanes, over threads and alone"


def environment() -> str:
    """An episode of an environment begins and goes on."""
    import gymnasium

    env = gymnasium.make("mjenv:mjenv/InvertedPendulum-v5")
    observation, _ = env.reset(seed=0)
    for _ in range(10):
        observation, *_ = env.step(env.action_space.sample())
    env.close()
    if not np.isfinite(observation).all():
        raise ValueError(f"InvertedPendulum-v5: found {observation}, expected numbers")
    return "InvertedPendulum-v5 steps"


def digests() -> str:
    """Two environments have the bits that are recorded."""
    from mjenv.digests.record import difference, recorded
    from mjenv.digests.trajectory import of_environment

    table = recorded()
    for name in DIGESTS:
        words = difference(of_environment(f"mjenv/{name}"), table[name])
        if words is not None:
            raise ValueError(f"{name}: found other bits than those recorded: {words}")
    return f"{' and '.join(DIGESTS)} have the recorded bits for 1,000 steps"


def pictures() -> str:
    """A picture shows something."""
    import mjenv

    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    renderer = mjenv.Renderer(model, 48, 64)
    renderer.update_scene(data, 0)
    picture = renderer.render()
    if picture.std() == 0:
        raise ValueError("picture: found one colour, expected a pendulum")
    return "a picture is drawn"


class Check(NamedTuple):
    """One check.

    Attributes:
        name: what is looked at.
        run: does it; returns what was found, raises what is wrong.
    """

    name: str
    run: Callable[[], str]


CHECKS = (
    Check("physics", physics),
    Check("environment", environment),
    Check("pictures", pictures),
    Check("lanes", lanes),
    Check("digests", digests),
)


def main() -> None:
    """Run the checks, and print the name, the outcome, the words and the seconds of each."""
    for check in CHECKS:
        start = time.perf_counter()
        try:
            good, words = True, check.run()
        except Exception as error:  # whatever it is, the report says so
            good, words = False, f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - start
        print(json.dumps([check.name, good, words, seconds]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
