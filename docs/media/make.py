"""The pictures of the README and of the guide to pictures: `make media` draws them anew."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from PIL import Image

import mjenv
from mjenv.render import tile
from mjenv.training.portable import shipped

HERE = Path(__file__).parent


def save(name: str, picture: np.ndarray) -> None:
    """Write a picture, with as many colours as keep it small."""
    image = Image.fromarray(picture).quantize(192, dither=Image.Dither.NONE)
    image.save(HERE / name, optimize=True)
    print(f"{name}: {(HERE / name).stat().st_size // 1024} KiB")


def act(envs: Any, nstep: int) -> None:
    """Let the agent that comes with mjenv act in HalfCheetahs."""
    agent = shipped("mjenv/HalfCheetah-v5")
    observations, _ = envs.reset(seed=0)
    for _ in range(nstep):
        actions = envs.action_space.sample() if agent is None else agent.act(observations)
        observations = envs.step(actions)[0]


def halfcheetah() -> None:
    """A HalfCheetah that runs, from the side."""
    envs = gymnasium.make_vec("mjenv/HalfCheetah-v5", num_envs=1, render_mode="rgb_array")
    act(envs, 97)
    renderer = mjenv.Renderer(envs.task.model, 360, 640)
    renderer.update_scene(envs.data, "track")
    save("halfcheetah.png", renderer.render())


def hundred() -> None:
    """A hundred worlds, drawn in one call."""
    envs = gymnasium.make_vec("mjenv/HalfCheetah-v5", num_envs=100, render_mode="rgb_array")
    act(envs, 40)
    renderer = mjenv.Renderer(envs.task.model, 72, 96)
    save("hundred.png", tile(renderer.render_worlds(envs.data, "track"), columns=10))


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


if __name__ == "__main__":
    halfcheetah()
    hundred()
    contacts()
