"""The pictures and films of the README and of the guides: `make media` draws them anew."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from PIL import Image

import mjenv
from mjenv.benchmarks.hand import hand
from mjenv.envs.robots.rough import QuadrupedRough
from mjenv.render import tile
from mjenv.training.portable import SHIPPED, Portable, shipped

HERE = Path(__file__).parent
FILMS = {
    "halfcheetah": "HalfCheetah-v5",
    "humanoid":    "Humanoid-v5",
    "ant":         "Ant-v5",
    "walker2d":    "Walker2d-v5",
    "standup":     "HumanoidStandup-v5",
    "quadruped":   "QuadrupedJoystick-v0",
    "biped":       "BipedJoystick-v0",
    "go1":         "Go1Velocity-v0",
    "g1":          "G1Velocity-v0",
    "g1_motion":   "G1Tracking-v0",
}  # fmt: skip
SEEDS = {"go1": 4}  # where the first episode is not to be seen: there it is told to stand
# a floor, and light from two sides
STUDIO = """
  <visual>
    <headlight ambient=".35 .35 .35" diffuse=".3 .3 .3" specular=".2 .2 .2"/>
    <quality shadowsize="4096"/>
  </visual>
  <asset>
    <texture name="floor" type="2d" builtin="checker" width="300" height="300" rgb1=".72 .74 .77"
        rgb2=".62 .65 .69"/>
    <material name="floor" texture="floor" texrepeat="6 6" reflectance=".15"/>
  </asset>
  <worldbody>
    <light pos="-.5 -1 2" dir=".25 .5 -1" diffuse=".5 .5 .5" castshadow="true"/>
    <geom type="plane" size="2 2 .1" rgba="1 1 1 1" material="floor"/>
  </worldbody>
"""
# six hinges, with links of two meshes
ROBOT = """
<mujoco model="robot">
  <compiler angle="degree"/>
  <asset>
    <mesh name="joint" builtin="supersphere" params="32 .3 1" scale=".075 .075 .062"/>
    <mesh name="link" builtin="supersphere" params="32 .55 .45" scale=".052 .052 .17"/>
    <mesh name="wrist" builtin="supersphere" params="32 .4 .8" scale=".045 .045 .06"/>
    <mesh name="finger" builtin="supersphere" params="20 .4 .4" scale=".014 .02 .05"/>
    <material name="shell" rgba=".93 .93 .92 1" specular=".6" shininess=".7"/>
    <material name="ring" rgba=".95 .45 .12 1" specular=".5" shininess=".6"/>
    <material name="dark" rgba=".16 .18 .22 1" specular=".5" shininess=".6"/>
  </asset>
  <default>
    <geom type="mesh" material="shell"/>
    <default class="ring"><geom mesh="joint" material="ring"/></default>
  </default>
  <worldbody>
    <geom type="cylinder" size=".11 .03" pos="0 0 .03" material="dark"/>
    <body pos="0 0 .12">
      <joint name="turn" axis="0 0 1"/><geom mesh="joint" material="dark"/>
      <body pos="0 0 .08">
        <joint name="shoulder" axis="0 1 0"/>
        <geom class="ring" euler="90 0 0"/><geom mesh="link" pos="0 0 .17"/>
        <body pos="0 0 .34">
          <joint name="elbow" axis="0 1 0"/>
          <geom class="ring" euler="90 0 0"/><geom mesh="link" pos="0 0 .16"/>
          <body pos="0 0 .32">
            <joint name="bend" axis="0 1 0"/>
            <geom mesh="joint" euler="90 0 0" material="dark"/><geom mesh="wrist" pos="0 0 .1"/>
            <body pos="0 0 .15">
              <joint name="roll" axis="0 0 1"/><geom mesh="wrist" material="ring"/>
              <geom mesh="finger" pos=".035 0 .07" material="dark"/>
              <geom mesh="finger" pos="-.035 0 .07" material="dark"/>
            </body>
          </body>
        </body>
      </body>
    </body>
    <body pos=".62 .05 .035" euler="0 0 25">
      <geom type="box" size=".035 .035 .035" rgba=".2 .5 .85 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def save(name: str, picture: np.ndarray) -> None:
    """Write a picture, with as many colours as keep it small."""
    # colours that few pixels have stay what they are
    image = Image.fromarray(picture).quantize(192, dither=Image.Dither.NONE, kmeans=1)
    image.save(HERE / name, optimize=True)
    print(f"{name}: {(HERE / name).stat().st_size // 1024} KiB")


def act(envs: Any, nstep: int) -> None:
    """Let the agent that comes with mjenv act."""
    agent = shipped(f"mjenv/{envs.spec.id.removeprefix('mjenv/')}")
    observations, _ = envs.reset(seed=0)
    for _ in range(nstep):
        observations = envs.step(agent.act(observations).astype(np.float32))[0]


def strip(env_id: str, steps: tuple[int, ...]) -> np.ndarray:
    """An agent at work, at some steps side by side."""
    pictures = []
    for nstep in steps:
        envs = gymnasium.make_vec(f"mjenv/{env_id}", num_envs=1, render_mode="rgb_array")
        act(envs, nstep)
        renderer = mjenv.Renderer(envs.task.model, 1080, 960, style="nice", limited=False)
        renderer.update_scene(envs.data, "track")
        pictures.append(renderer.render().reshape(360, 3, 320, 3, 3).mean((1, 3)))
    return np.concatenate(pictures, axis=1).astype(np.uint8)


def halfcheetah() -> None:
    """A HalfCheetah that runs, from the side."""
    envs = gymnasium.make_vec("mjenv/HalfCheetah-v5", num_envs=1, render_mode="rgb_array")
    act(envs, 97)
    renderer = mjenv.Renderer(envs.task.model, 360, 640)
    renderer.update_scene(envs.data, "track")
    save("halfcheetah.png", renderer.render())


def humanoid() -> None:
    """A Humanoid that runs."""
    save("humanoid.png", strip("Humanoid-v5", (60, 66)))


def quadruped() -> None:
    """A quadruped that follows its commands."""
    save("quadruped.png", strip("QuadrupedJoystick-v0", (90, 250)))


def robots() -> None:
    """A biped that walks, an arm that lifts a cube, and a hand that turns one."""
    rows = ("BipedJoystick-v0", 130), ("ArmLift-v0", 90), ("HandTurn-v0", 40)
    save("robots.png", np.concatenate([strip(name, (nstep,)) for name, nstep in rows], axis=1))


def speeds(agent: Any, level: int) -> np.ndarray:
    """How fast an agent goes on each kind of rough terrain, asked for 0.6 m/s: means (4,).

    From the second to the eighth second of 64 worlds, ahead in all directions; 0 of those that
    fell. An agent of the flat ground does not see the rough one.
    """
    envs = gymnasium.make_vec("mjenv/QuadrupedRough-v0", num_envs=64)
    observations, _ = envs.reset(seed=7, options={"level": level})
    task, state, data = envs.task, envs.task_state, envs.data
    kinds, speed, fallen = state.kind.copy(), np.zeros(64), np.zeros(64, bool)
    ground = task.points.shape[1]
    command = slice(-ground - 3, -ground)
    for k in range(400):
        state.command, state.steps = [0.6, 0.0, 0.0], 0
        observations[:, command] = [0.6, 0.0, 0.0]
        seen = observations[:, : len(agent.mean)]
        observations, _, terminated, *_ = envs.step(agent.act(seen).astype(np.float32))
        fallen |= terminated
        speed += data.sensordata[:, 0] * (k >= 50) / 350
    speed[fallen] = 0.0
    return np.array([speed[kinds == kind].mean() for kind in range(len(task.kinds))])


def rough() -> None:
    """Speeds on rough terrain, of the agent that learned on it and of that of the flat ground."""
    import matplotlib.pyplot as plt

    levels = range(QuadrupedRough.levels)
    figure, axes = plt.subplots(1, 4, figsize=(11, 2.4), sharey=True, layout="constrained")
    for name, colour in ("QuadrupedRough-v0", "#1f77b4"), ("QuadrupedJoystick-v0", "#d62728"):
        agent = shipped(f"mjenv/{name}")
        found = np.array([speeds(agent, level) for level in levels])
        for axis, kind, values in zip(axes, QuadrupedRough.kinds, found.T, strict=True):
            axis.plot([level + 1 for level in levels], values, "o-", color=colour, label=name)
            axis.set_title(kind, fontsize=9)
            print(name, kind, *values.round(2))
    for axis in axes:
        axis.axhline(0.6, color="0.6", linewidth=0.8, linestyle="--")
        axis.set_ylim(-0.05, 0.7)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    axes[-1].legend(fontsize=7, loc="upper right")
    figure.supxlabel("level", fontsize=9)
    figure.supylabel("m/s", fontsize=9)
    figure.savefig(HERE / "rough.png", dpi=110)
    print("rough.png")


def hundred() -> None:
    """A hundred worlds, drawn in one call."""
    envs = gymnasium.make_vec("mjenv/HalfCheetah-v5", num_envs=100, render_mode="rgb_array")
    act(envs, 40)
    renderer = mjenv.Renderer(envs.task.model, 72, 96)
    save("hundred.png", tile(renderer.render_worlds(envs.data, "track"), columns=10))


def learning() -> None:
    """Returns while the agents that come with mjenv were trained."""
    import matplotlib.pyplot as plt

    agents = [Portable.load(path) for path in sorted(SHIPPED.glob("*.npz"))]
    columns = 4
    rows = -(-len(agents) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(11, 2.1 * rows), layout="constrained")
    for axis in axes.flat[len(agents) :]:
        axis.set_axis_off()
    for axis, agent in zip(axes.flat, agents, strict=False):
        steps, returns = agent.curve
        axis.plot(steps / 1e6, returns, color="#1f77b4")
        axis.axhline(agent.info["return"], color="#d62728", linewidth=0.8, linestyle="--")
        axis.set_title(agent.info["env"].removeprefix("mjenv/"), fontsize=9)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    figure.supxlabel("million steps", fontsize=9)
    figure.supylabel("return; dashed: without exploration, at the end", fontsize=9)
    figure.savefig(HERE / "learning.png", dpi=110)
    print("learning.png")


def curves() -> dict[str, Any]:
    """Rows of the runs' progress.csv: by task and algorithm, for each seed."""
    return json.loads((HERE / "curves.json").read_text())


def seeds() -> None:
    """Returns while three agents were trained for each of Gymnasium's tasks."""
    import matplotlib.pyplot as plt

    tasks = curves()
    figure, axes = plt.subplots(3, 4, figsize=(11, 6.3), layout="constrained")
    for axis in axes.flat[len(tasks) :]:
        axis.set_axis_off()
    for axis, (name, learners) in zip(axes.flat, tasks.items(), strict=False):
        for steps, returns in learners["PPO"]:
            axis.plot(np.array(steps) / 1e6, returns, linewidth=1)
        panel(axis, name)
    figure.supxlabel("million steps", fontsize=9)
    figure.supylabel("return while it explores, of each seed", fontsize=9)
    figure.savefig(HERE / "seeds.png", dpi=110)
    print("seeds.png")


def pixels() -> None:
    """Returns while agents were trained from pictures, and of 16 episodes afterwards."""
    import matplotlib.pyplot as plt

    tasks = json.loads((HERE / "pixels.json").read_text(encoding="utf-8"))
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
    for axis, (name, run) in zip(axes, tasks.items(), strict=True):
        minutes = np.array(run["seconds"]) / 60.0
        axis.plot(minutes, run["returns"], linewidth=1.2)
        axis.plot(minutes[-1:], [run["after"]], "o", color="#1a7f37", markersize=6)
        axis.set_ylim(0, 1000)
        panel(axis, name)
    figure.supxlabel("minutes", fontsize=9)
    figure.supylabel("return", fontsize=9)
    figure.savefig(HERE / "pixels.png", dpi=110)
    print("pixels.png")


def panel(axis: Any, title: str) -> None:
    """A small diagram of several, with a grid and a title."""
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=7)
    axis.grid(alpha=0.3)


def walkers() -> None:
    """Returns of walkers with a short and a long horizon: a line for each seed."""
    import matplotlib.pyplot as plt

    runs = json.loads((HERE / "walkers.json").read_text())
    figure, axes = plt.subplots(1, 2, figsize=(11, 3), sharey=True, layout="constrained")
    for (gamma, seeds), colour in zip(runs.items(), ("#d62728", "#1f77b4"), strict=True):
        for seed, (steps, returns) in seeds.items():
            for axis in axes:
                label = f"gamma {gamma}" if seed == "0" else None
                axis.plot(np.array(steps) / 1e6, returns, color=colour, linewidth=1, label=label)
    axes[0].set_xlim(0, 5)
    for axis in axes:
        axis.set_xlabel("million steps", fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False, fontsize=8)
    axes[0].set_ylabel("return while it explores", fontsize=8)
    figure.savefig(HERE / "walkers.png", dpi=110)
    print("walkers.png")


def races() -> None:
    """Returns of several libraries' learners over processor time and over steps."""
    import matplotlib.pyplot as plt

    tasks = json.loads((HERE / "races.json").read_text())
    figure, axes = plt.subplots(len(tasks), 2, figsize=(11, 3.2 * len(tasks)), squeeze=False)
    names = sorted({name for learners in tasks.values() for name in learners})
    for row, (task, learners) in zip(axes, tasks.items(), strict=True):
        for name, seeds in learners.items():
            for axis, column in zip(row, (0, 1), strict=True):
                # the middle of the seeds, within their range, at places that all have reached
                start, end = (f(one[column][k] for one in seeds) for f, k in ((max, 0), (min, -1)))
                at = np.geomspace(start, end, 100)
                found = np.array([np.interp(at, one[column], one[2]) for one in seeds])
                colour = f"C{names.index(name)}"
                axis.plot(at, np.median(found, 0), color=colour, label=name, linewidth=1.2)
                axis.fill_between(at, found.min(0), found.max(0), color=colour, alpha=0.15, lw=0)
        for axis, what in zip(row, ("seconds of one core", "steps"), strict=True):
            axis.set_xscale("log")
            axis.set_xlabel(what, fontsize=8)
            axis.set_title(task, fontsize=9)
            axis.tick_params(labelsize=7)
            axis.grid(alpha=0.3)
        row[0].set_ylabel("return in Gymnasium's environment", fontsize=8)
    axes[0, 1].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "races.png", dpi=110)
    print("races.png")


def off_policy() -> None:
    """Returns while off-policy agents were trained."""
    import matplotlib.pyplot as plt

    others = {name: one for name, one in curves().items() if len(one) > 1}
    figure, axes = plt.subplots(1, len(others), figsize=(11, 3), layout="constrained")
    for axis, (name, learners) in zip(axes, others.items(), strict=True):
        for learner, runs in learners.items():
            if learner != "PPO":
                axis.plot(np.array(runs[0][0]) / 1e6, runs[0][1], label=learner)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("million steps", fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
        axis.legend(frameon=False, fontsize=8)
    axes[0].set_ylabel("return while it explores", fontsize=8)
    figure.savefig(HERE / "off_policy.png", dpi=110)
    print("off_policy.png")


def contacts() -> None:
    """A humanoid that has sat down: the forces of its contacts, and the axes of its joints."""
    model = mjenv.Model.from_xml_path(str(HERE.parents[1] / "xml" / "humanoid.xml"))
    data = mjenv.Data(model)
    mjenv.step(model, data, 300)
    camera, option = mjenv.MjvCamera(), mjenv.MjvOption()
    camera.lookat, camera.distance = data.subtree_com[0, 1], 3.2
    camera.elevation, camera.azimuth = -20.0, 120.0
    for flag in ("mjVIS_CONTACTPOINT", "mjVIS_CONTACTFORCE", "mjVIS_TRANSPARENT", "mjVIS_JOINT"):
        option.flags[mjenv.mjtVisFlag[flag]] = 1
    renderer = mjenv.Renderer(model, 360, 640)
    renderer.update_scene(data, camera, option)
    save("contacts.png", renderer.render())


def studio(text: str, qpos: dict[str, float], nstep: int, ctrl: float) -> tuple[Any, Any]:
    """A model with a floor and light, in a posture, after some steps with one control for all."""
    text = text.replace("</mujoco>", f"{STUDIO}</mujoco>")
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    for name, value in qpos.items():
        data.joint(name).qpos = value
    data.ctrl[:] = ctrl
    mjenv.step(model, data, nstep)
    mjenv.forward(model, data)
    return model, data


def view(model: Any, data: Any, lookat: tuple[float, ...], at: tuple[float, ...]) -> np.ndarray:
    """A picture in the second look; `at` is distance, azimuth and elevation of the camera."""
    camera = mjenv.MjvCamera()
    camera.lookat, (camera.distance, camera.azimuth, camera.elevation) = lookat, at
    renderer = mjenv.Renderer(model, 1080, 1920, style="nice", limited=False)
    renderer.update_scene(data, camera)
    return renderer.render().reshape(360, 3, 640, 3, 3).mean((1, 3)).astype(np.uint8)


def robot() -> None:
    """An arm of meshes that bends down to a box."""
    posture = {"turn": 0.08, "shoulder": 0.55, "elbow": 1.35, "bend": 1.0, "roll": 0.5}
    model, data = studio(ROBOT, posture, 0, 0.0)
    save("robot.png", view(model, data, (0.25, 0.0, 0.3), (1.35, 125.0, -16.0)))


def fingers() -> None:
    """A hand that has closed around a box."""
    text = hand().replace('<geom type="plane" size="1 1 0.1"/>', "")
    text = text.replace("<geom friction", '<geom rgba=".9 .88 .85 1" friction')
    text = text.replace('size="0.045 0.045 0.012"', 'size="0.045 0.045 0.012" rgba=".2 .22 .26 1"')
    text = text.replace('density="600"', 'density="600" rgba=".95 .45 .12 1"')
    model, data = studio(text, {}, 400, 1.2)
    save("hand.png", view(model, data, (0.05, 0.01, 0.222), (0.3, 215.0, -30.0)))


def films() -> None:
    """Five seconds of agents that come with mjenv, for the gallery."""
    from mjenv.commands.cli import main

    for name, env_id in FILMS.items():
        with tempfile.TemporaryDirectory() as folder:
            raw = f"{folder}/film.mp4"
            options = ["--size", "400x300", "--seconds", "5", "--style", "nice", "--output", raw]
            options += ["--seed", str(SEEDS.get(name, 0))]
            if main(["record", env_id, *options]):
                raise RuntimeError(f"{env_id}: no film")
            compress(raw, name)


def rough_film() -> None:
    """The same of the Go1 on ground of the third level."""
    from mjenv.training.films.writer import film_writer

    agent: Any = shipped("mjenv/Go1Rough-v0")
    shown = {"width": 400, "height": 300, "camera_name": "track"}
    envs: Any = gymnasium.make_vec(
        "mjenv/Go1Rough-v0", num_envs=1, render_mode="rgb_array", **shown
    )
    # the first seconds, in which it leaves the flat middle of its patch, are not shown
    observations, _ = envs.reset(seed=1, options={"level": 2})
    with tempfile.TemporaryDirectory() as folder:
        raw = f"{folder}/film.mp4"
        with film_writer(raw, (400, 300), 0.5 / envs.task.dt) as put:
            for k in range(round(7.0 / envs.task.dt)):
                envs.task_state.command, envs.task_state.wait = [0.6, 0.0, 0.0], 100.0
                observations, *_ = envs.step(agent.act(observations).astype(np.float32))
                if k * envs.task.dt >= 2.0 and k % 2 == 0:
                    put(envs.render()[0])
        compress(raw, "go1_rough")


def compress(raw: str, name: str) -> None:
    """Make a film of the gallery small, and a still of it, which is seen before it plays."""
    from imageio_ffmpeg import get_ffmpeg_exe

    compressed = ["-an", "-c:v", "libx264", "-crf", "31", "-preset", "slow"]
    played = ["-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    (HERE / "films").mkdir(exist_ok=True)
    film, poster = (str(HERE / "films" / f"{name}.{kind}") for kind in ("mp4", "jpg"))
    command = [get_ffmpeg_exe(), "-loglevel", "error", "-y", "-i", raw]
    subprocess.run([*command, *compressed, *played, film], check=True)
    still = [get_ffmpeg_exe(), "-loglevel", "error", "-y", "-ss", "2.5", "-i", film]
    subprocess.run([*still, "-frames:v", "1", "-q:v", "4", poster], check=True)


if __name__ == "__main__":
    halfcheetah()
    humanoid()
    quadruped()
    robots()
    rough()
    hundred()
    contacts()
    learning()
    seeds()
    pixels()
    walkers()
    races()
    off_policy()
    robot()
    fingers()
    films()
    rough_film()
