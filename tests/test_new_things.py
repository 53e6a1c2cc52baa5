"""One made-up thing of each kind, through the places alone that CONTRIBUTING names for it.

They are added to a copy of the package, in which a process of its own sees them work.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]


class Edit(NamedTuple):
    """Text in place of other text that a file has once; a file is new if there is none."""

    file: str
    old: str
    new: str


COLLIDER = (
    Edit("engine/physics/collision/sphere_ellipsoid.py", "", '''
"""Contacts of spheres with ellipsoids that are balls."""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.spatial import scale3
from .contact import put_contact
from .primitives import sphere_contact


@kernel
def sphere_ellipsoid(m, d, geom1, geom2, slot, margin, near):
    """Contact of one sphere with a ball that is as large as the first axis of an ellipsoid."""
    on, dist, pos, normal = sphere_contact(
        d, geom1, geom2,
        load3(d.geom_xpos, geom1), m.geom_size[3 * geom1],
        load3(d.geom_xpos, geom2), m.geom_size[3 * geom2], margin,
    )
    put_contact(d, slot, on, dist, pos, normal, scale3(normal, 0.0))
'''),
    Edit(
        "engine/physics/collision/colliders.py",
        "\nCOLLIDERS = (\n",
        "\nCOLLIDERS = (\n    Collider(\n"
        "        only(GEOM_SPHERE, GEOM_ELLIPSOID), 1, 'sphere_ellipsoid:sphere_ellipsoid',\n"
        "    ),\n",
    ),
)  # fmt: skip
SENSOR = (
    Edit(
        "engine/mjcf/text/schema.txt",
        "sensor/jointvel *\n",
        "sensor/jointspin *\n    name text; joint! text; nsample int 0; interp zoh|linear zoh;"
        " delay real 0;\n    interval real<=2 0 0; cutoff real 0; noise real 0;"
        " user real[nuser_sensor] 0 0 ...\nsensor/jointvel *\n",
    ),
    Edit(
        "engine/tables/sensor_kinds.py",
        '\n""")\nNSENS = ',
        '\njointspin joint - 1 real vel spin scalar -\n""")\nNSENS = ',
    ),
    Edit("engine/physics/sensors/spin.py", "", '''
"""Sensors of rotations per second."""

from ...simd.kernel import kernel
from .write import put


@kernel
def jointspin(m, d, sensor):
    """Rotations per second.

    Reads: qvel.
    Writes: sensordata (1/s).
    """
    put(m, d, sensor, 0, 0.25 * d.qvel[m.jnt_dofadr[m.sensor_objid[sensor]]])
'''),
)  # fmt: skip
INTEGRATOR = (
    Edit(
        "engine/mjcf/text/schema.txt",
        "|implicit|implicitfast Euler;",
        "|implicit|implicitfast|midpoint Euler;",
    ),
    Edit(
        "engine/tables/enums.py",
        "INT_IMPLICITFAST = range(4)",
        "INT_IMPLICITFAST, INT_MIDPOINT = range(5)",
    ),
    Edit(
        "engine/tables/enum_tables.py",
        "    EULER RK4 IMPLICIT IMPLICITFAST\n",
        "    EULER RK4 IMPLICIT IMPLICITFAST MIDPOINT\n",
    ),
    Edit("engine/physics/integrators/explicit_midpoint.py", "", '''
"""The explicit midpoint method: a whole step at the derivative in its middle."""

from ...simd.kernel import kernel
from .euler_rk4 import finish_step, integrate_pos


@kernel
def middle_begin(m, d):
    """Save the state and go to the middle of the step.

    Reads: qpos, qvel, qacc, time.
    Writes: rk_qpos, rk_qvel, rk_time, qpos, qvel, time.
    """
    half = 0.5 * m.opt_timestep[0]
    d.rk_time[0] = d.time[0]
    for i in range(m.nq):
        d.rk_qpos[i] = d.qpos[i]
    for dof in range(m.nv):
        d.rk_qvel[dof], d.int_vel[dof] = d.qvel[dof], d.qvel[dof]
        d.qvel[dof] = d.qvel[dof] + half * d.qacc[dof]
    integrate_pos(m, d, half)
    d.time[0] = d.rk_time[0] + half


@kernel
def middle_finish(m, d):
    """Go from the start of the step to its end, at the derivative in the middle.

    Reads: qvel, qacc, rk_qpos, rk_qvel, rk_time.
    Writes: qpos, qvel, time, qacc_warmstart.
    """
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    for dof in range(m.nv):
        d.int_vel[dof] = d.qvel[dof]
        d.qvel[dof] = d.rk_qvel[dof] + m.opt_timestep[0] * d.qacc[dof]
    integrate_pos(m, d, m.opt_timestep[0])
    d.time[0] = d.rk_time[0]
    finish_step(m, d)
'''),
    Edit("engine/physics/actuators/middle.py", "", '''
"""Activations in the explicit midpoint method."""

from ...simd.kernel import kernel
from .activation import advance


@kernel
def middle_begin_activation(m, d):
    """Save activations and go to those in the middle of the step.

    Reads: act, act_dot. Writes: rk_act, act.
    """
    for k in range(m.na):
        d.rk_act[k] = d.act[k]
        d.act[k] = d.act[k] + 0.5 * m.opt_timestep[0] * d.act_dot[k]


@kernel
def middle_finish_activation(m, d):
    """Activations after the step, at the rates in its middle.

    Reads: rk_act, act_dot. Writes: act.
    """
    for k in range(m.na):
        d.act[k] = d.rk_act[k]
    advance(m, d, d.act_dot)
'''),
    Edit(
        "engine/pipeline/integration.py",
        "INT_IMPLICITFAST, INT_RK4, ",
        "INT_IMPLICITFAST, INT_MIDPOINT, INT_RK4, ",
    ),
    Edit("engine/pipeline/integration.py", "\n\nclass Integrator(NamedTuple):\n", '''

MIDDLE_BEGIN = (
    Stage("actuators.middle:middle_begin_activation", "", has("na"), "act"),
    Stage("integrators.explicit_midpoint:middle_begin", "qpos qvel time"),
)
MIDDLE_FINISH = (
    Stage("actuators.middle:middle_finish_activation", "", has("na"), "act"),
    Stage("integrators.explicit_midpoint:middle_finish", "qpos qvel time qacc_warmstart"),
)


def _midpoint(conditions, forward, remembering):
    begin, finish = chosen(MIDDLE_BEGIN, conditions), chosen(MIDDLE_FINISH, conditions)
    return (*begin, *forward, *remembering, *finish)


class Integrator(NamedTuple):
'''),
    Edit(
        "engine/pipeline/integration.py",
        "\nINTEGRATORS = {\n",
        "\nINTEGRATORS = {\n"
        "    INT_MIDPOINT: Integrator('midpoint', _midpoint, repeats=True),\n",
    ),
)  # fmt: skip
STAGE = (
    Edit("engine/physics/results/hurry.py", "", '''
"""Time that flies."""

from ...simd.kernel import kernel


@kernel
def hurry(m, d):
    """Let a second pass. Writes: time (s)."""
    d.time[0] = d.time[0] + 1.0
'''),
    Edit(
        "engine/pipeline/forward.py",
        "\nBEFORE = (\n",
        '\nHURRY = Stage("results.hurry:hurry", changes="time")\nBEFORE = (\n',
    ),
)  # fmt: skip
PHASE = (
    Edit(
        "engine/pipeline/layouts.py",
        '    Phase("after", ',
        '    Phase("finish", "of what follows integration"),\n    Phase("after", ',
    ),
    Edit(
        "engine/run/driver.py",
        "op_integrate, plan.nintegrate, back, m, d)\n",
        "op_integrate, plan.nintegrate, back, m, d)\n"
        "                run_operations(plan.op_finish, plan.nfinish, back, m, d)\n",
    ),
    Edit("engine/run/program.py", '        "after": listing(plan, kept, (POST,) ', (
        '        "finish": (HURRY,) if integrate else (),\n'
        '        "after": listing(plan, kept, (POST,) '
    )),
    Edit("engine/run/program.py", "    CHECK,\n", "    CHECK,\n    HURRY,\n"),
)  # fmt: skip
INITIAL = (
    Edit(
        "engine/data/initial.py",
        "INITIAL = {\n",
        'INITIAL = {\n    "ctrl": Initial(lambda data, worlds: 0.25),\n',
    ),
    Edit(
        "engine/physics/integrators/euler_rk4.py",
        "    clear(d.ctrl, m.nu, mask)\n",
        "    for u in range(m.nu):\n        d.ctrl[u] = select(mask, 0.25, d.ctrl[u])\n",
    ),
)
DUTY = (
    Edit(
        "engine/run/execution.py",
        "\nRUN_CONTEXTS = (\n",
        '\ndef count_calls(plan: "Plan", data: "Data", program: "Program") -> Iterator[None]:\n'
        '    """Count calls."""\n    yield\n'
        '    plan.__dict__["ncall"] = plan.__dict__.get("ncall", 0) + 1\n\n\n'
        "RUN_CONTEXTS = (\n    RunContext(lambda plan: True, count_calls),\n",
    ),
)
HOOK = (
    Edit("engine/run/hook_stages.py", "\nHOOKS = {\n", '''

@kernel
def late_hook(m, d):
    """Let a hook see accelerations."""
    hook(m, d)


HOOKS = {
    "late": Hook(late_hook, ONCE, len, changes="qfrc_passive"),
'''),
    Edit("engine/pipeline/request_fields.py", "NHOOK = 9", "NHOOK = 10"),
)  # fmt: skip
FUNCTION = (
    Edit("engine/analysis/halves.py", "", '''
"""Halves."""


def half_time(model, data):
    """Half of the time (nworld,)."""
    return 0.5 * data.time
'''),
    Edit(
        "mjenv/__init__.pyi",
        "\n__version__: str\n",
        "from mjenv.engine.analysis.halves import half_time as half_time\n\n__version__: str\n",
    ),
)  # fmt: skip
TASK = (
    Edit("envs/spinner.py", "", '''
"""Spinner: a hinge turns."""

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task


class Spinner(Task):
    """Turn fast."""

    xml_file = "spinner.xml"
    frame_skip = 2
    reset_noise_scale = 0.1
    reset = starts.uniform

    def observation(self, data: Fields):
        return {"qvel": data.qvel}

    def outcome(self, data: Fields, action, before):
        return Outcome({"reward_turn": data.qvel[..., 0]}, terminated=data.qvel[..., 0] > 1e6)
'''),
    Edit("xml/spinner.xml", "", '''
<mujoco><worldbody><body><joint name="hinge" damping="1"/><geom size=".1"/></body></worldbody>
  <actuator><motor joint="hinge" ctrlrange="-1 1"/></actuator></mujoco>
'''),
    Edit(
        "mjenv/gym/registration.py",
        "\nROBOTS = (\n",
        '\nROBOTS = (\n    Row("Spinner-v0", "spinner", 20, None),\n',
    ),
)  # fmt: skip
COMMAND = (
    Edit(
        "mjenv/commands/environments.py",
        '    Command("envs", list_environments, ',
        '    Command("greet", lambda options: print("good day"), "greet"),\n'
        '    Command("envs", list_environments, ',
    ),
    Edit(
        "mjenv/commands/examples.py",
        "\nEXAMPLES = {\n",
        '\nEXAMPLES = {\n    "greet": Examples("start.md", (("mjenv greet", "good day"),)),\n',
    ),
)
# by the words that CONTRIBUTING sets in bold
THINGS = {
    "collider": COLLIDER, "integrator": INTEGRATOR, "sensor": SENSOR, "stage": STAGE,
    "phase": PHASE, "initial value": INITIAL, "duty": DUTY, "hook": HOOK,
    "public function": FUNCTION, "task": TASK, "command": COMMAND,
}  # fmt: skip

CHECK = """
import gymnasium, numpy as np, mjenv
from mjenv.commands import cli

assert mjenv.__file__.startswith({folder!r})
model = mjenv.Model.from_xml_string('''<mujoco>
  <worldbody><geom name="ball" size=".1"/>
    <body pos="0 0 .15"><joint name="j" type="slide" axis="0 0 1"/>
      <geom name="egg" type="ellipsoid" size=".1 .3 .3"/></body>
    <body pos="5 0 0"><joint name="k"/><geom size=".1"/></body></worldbody>
  <actuator><motor joint="k"/></actuator>
  <sensor><jointspin joint="k"/><distance geom1="egg" geom2="ball" cutoff="1"/></sensor>
</mujoco>''')
data = mjenv.Data(model, 3)
# initial value, of all worlds, of some, and of one that is found bad within a step
assert (data.ctrl == 0.25).all()
data.ctrl[:] = 0
mjenv.reset(model, data, mask=np.array([False, True, False]))
assert data.ctrl[:, 0].tolist() == [0, 0.25, 0]
data.qvel[:, 1] = 2.0
# collider: contacts, distances, sensors of distances
mjenv.forward(model, data)
assert (data.ncon == 1).all() and np.allclose(data.contact.dist[:, 0], -0.05, atol=1e-12)
assert np.allclose(mjenv.geom_distance(model, data, "egg", "ball", 1.0).dist, -0.05, atol=1e-12)
# sensors
assert np.allclose(data.sensordata, [[0.5, -0.05]] * 3, atol=1e-12)
# a stage in a phase of its own; a duty
mjenv.step(model, data, 4)
assert np.allclose(data.time, 4 * (1 + model.opt.timestep))
calls = data.plan.ncall
data.qvel[2, 1] = np.nan
mjenv.step(model, data)
assert data.ctrl[:, 0].tolist() == [0, 0.25, 0.25] and data.plan.ncall == calls + 1
# integrator: half the step is a quarter of the error
def swing(integrator, nstep):
    # state of a pendulum with a motor after 0.4 s; the stage above adds a second to each step
    model = mjenv.Model.from_xml_string(f'''<mujoco>
      <option integrator="{{integrator}}" timestep="{{0.4 / nstep}}"/>
      <worldbody><body><joint name="j" axis="0 1 0"/>
        <geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><general joint="j" dyntype="filter" dynprm=".2" gainprm="9"/></actuator>
    </mujoco>''')
    data = mjenv.Data(model, 3)
    data.ctrl[:] = 1.0
    mjenv.step(model, data, nstep)
    return np.concatenate([data.qpos, data.qvel, data.act, data.time[:, None] - nstep], axis=1)
exact = swing("RK4", 80)
errors = [np.abs(swing("midpoint", nstep) - exact).max() for nstep in (20, 40)]
assert 3.8 < errors[0] / errors[1] < 4.3, errors
# hook
seen = np.zeros_like(data.qacc)
mjenv.set_hook(data, "late", lambda model, worlds: seen.__setitem__(worlds.world, worlds.qacc))
mjenv.forward(model, data)
assert np.array_equal(seen, data.qacc) and seen.any()
# public function
assert np.array_equal(mjenv.half_time(model, data), data.time / 2) and "half_time" in dir(mjenv)
# task, for one world and for many
env = gymnasium.make("mjenv/Spinner-v0")
env.reset(seed=0)
speeds = [float(env.step(np.array([1.0], env.action_space.dtype))[1]) for _ in range(3)]
assert 0 < speeds[1] < speeds[2]
if not {interpreted}:
    # the loop around the physics of many worlds is there in compiled form alone
    envs = gymnasium.make_vec("mjenv/Spinner-v0", num_envs=4)
    assert envs.reset(seed=0)[0].shape == (4, 1)
    assert envs.step(np.ones((4, 1), envs.action_space.dtype))[1].shape == (4,)
# command
cli.main(["greet"])
"""


def rows() -> dict[str, set[str]]:
    """Places of each kind in bold, as CONTRIBUTING names them."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| \*\*(.+?)\*\*[^|]*\|(.+)\|$", text, re.MULTILINE)
    return {kind: set(re.findall(r"`([\w./]+/[\w.]*)`", places)) for kind, places in lines}


def copied(folder: Path) -> Path:
    """A copy of the package, laid out as it is installed."""
    package = folder / "mjenv"
    leave_out = shutil.ignore_patterns("__pycache__")
    for name in ("mjenv", "engine", "envs", "xml"):
        target = package if name == "mjenv" else package / name
        shutil.copytree(ROOT / name, target, ignore=leave_out, dirs_exist_ok=True)
    return package


def apply(edit: Edit, package: Path) -> None:
    """Make an edit in a copy of the package."""
    file = package.parent / edit.file if edit.file.startswith("mjenv/") else package / edit.file
    text = file.read_text(encoding="utf-8") if edit.old else ""
    assert file.exists() == bool(edit.old), edit.file
    assert not edit.old or text.count(edit.old) == 1, edit
    file.write_text(text.replace(edit.old, edit.new) if edit.old else edit.new[1:])


@pytest.mark.parametrize("kind", THINGS)
def test_places_are_those_of_the_guide(kind):
    """Every place that is named is there and is touched, and no other one."""
    named = rows()[kind]
    for place in named:
        assert (ROOT / place).exists(), place
    for edit in THINGS[kind]:
        inside = {place for place in named if place.endswith("/") and edit.file.startswith(place)}
        assert edit.file in named or inside, f"{edit.file} is not named"
    files = [edit.file for edit in THINGS[kind]]
    assert all(any(file.startswith(place) for file in files) for place in named)


def test_each_kind_of_the_guide_is_tried():
    assert rows().keys() == THINGS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("interpreted", ["1", "0"], ids=["interpreted", "compiled"])
def test_new_things_work(interpreted, tmp_path):
    """All of them at once, in kernels that run as plain Python, and in compiled ones."""
    package = copied(tmp_path)
    for edits in THINGS.values():
        for edit in edits:
            apply(edit, package)
    code = CHECK.format(folder=str(package), interpreted=interpreted)
    path = {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": interpreted}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env=os.environ | path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip().endswith("good day")
