"""Films of an agent at work."""

from collections.abc import Callable
from pathlib import Path

import gymnasium
import imageio_ffmpeg
import numpy as np

Act = Callable[[np.ndarray], np.ndarray]


def film(
    env_id: str,
    act: Act | None,
    path: str | Path,
    seconds: float = 15.0,
    size: tuple[int, int] = (640, 480),
    seed: int = 0,
) -> int:
    """Write an MP4 of one world; a new episode starts where one ends.

    Args:
        env_id: the environment.
        act: actions for observations; None for random actions.
        path: the file.
        seconds: length at the environment's own speed.
        size: width and height of the frames (pixels), both even.
        seed: of the first reset and of random actions.

    Returns:
        The number of frames.

    Raises:
        ValueError: the size is not even and positive, or the length not positive.
    """
    width, height = size
    if width < 2 or height < 2 or width % 2 or height % 2:
        raise ValueError(
            f"film: size is {width}x{height}, expected even numbers of pixels, such as 640x480"
        )
    if not seconds > 0:
        raise ValueError(f"film: seconds is {seconds}, expected more than 0")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    env = follow(env_id, render_mode="rgb_array", width=width, height=height)
    fps = env.metadata["render_fps"]
    frames = max(1, round(seconds * fps))
    observation, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    # H.264 in 4:2:0, which every player and browser shows
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        for _ in range(frames):
            writer.send(np.ascontiguousarray(env.render()))
            action = env.action_space.sample() if act is None else act(observation)
            observation, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                observation, _ = env.reset()
    finally:
        writer.close()
        env.close()
    return frames


def follow(env_id: str, **options) -> gymnasium.Env:
    """The environment, seen by the model's camera "track" where it has one, else as by default."""
    env = gymnasium.make(env_id, **options)
    model = env.unwrapped.model  # pyright: ignore[reportAttributeAccessIssue]
    if "track" not in [model.camera(k).name for k in range(model.ncam)]:
        return env
    env.close()
    return gymnasium.make(env_id, camera_name="track", **options)
