"""Tasks of other packages that are written for `mujoco`: how each is made and run.

The table is at the end. Makers import their packages only when they are called.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np


class Running(NamedTuple):
    """A task that runs.

    Attributes:
        reset: function of a seed that gives the first observation.
        step: function of a generator of random numbers that gives an observation and a reward.
        physics: function that gives the present model and data.
    """

    reset: Callable[[int], Any]
    step: Callable[[np.random.Generator], tuple[Any, Any]]
    physics: Callable[[], tuple[Any, Any]]


class NoPictures:
    """In the place of `mujoco.Renderer` where that has no OpenGL: what is compared are states."""

    def __init__(self, model: Any, height: int = 1, width: int = 1, **options: Any):
        self._picture = np.zeros((height, width, 3), np.uint8)

    def update_scene(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""

    def render(self) -> np.ndarray:
        """A black picture."""
        return self._picture

    def close(self) -> None:
        """Do nothing."""


@cache
def without_opengl() -> bool:
    """Whether this interpreter has the reference, and no OpenGL: a second try would end it."""
    import mujoco

    if mujoco.__name__ != "mujoco":
        return False
    try:
        mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 1, 1).close()
    except Exception:
        return True
    return False


def of_gymnasium(env: Any, physics: Callable[[Any], tuple[Any, Any]] | None = None) -> Running:
    """A task with Gymnasium's interface."""
    low, high = np.clip(env.action_space.low, -1, None), np.clip(env.action_space.high, None, 1)

    def step(rng: np.random.Generator) -> tuple[Any, Any]:
        action = rng.uniform(low, high).astype(env.action_space.dtype)
        return env.step(action)[:2]

    held = env.unwrapped
    found = physics or (lambda held: (held.model, held.data))
    return Running(lambda seed: env.reset(seed=seed)[0], step, lambda: found(held))


def gymnasium(name: str) -> Running:
    import gymnasium as gym

    return of_gymnasium(gym.make(name))


def gymnasium_robotics(name: str) -> Running:
    import gymnasium as gym
    import gymnasium_robotics

    gym.register_envs(gymnasium_robotics)

    def physics(held: Any) -> tuple[Any, Any]:
        for part in ("robot_env", "ant_env", "point_env"):
            held = getattr(held, part, held)
        return getattr(held, "unwrapped", held).model, getattr(held, "unwrapped", held).data

    return of_gymnasium(gym.make(name), physics)


def of_dm_env(make: Callable[[int], Any]) -> Running:
    """A task with dm_env's interface."""
    held: dict[str, Any] = {}

    def reset(seed: int) -> Any:
        held["env"] = make(seed)
        return held["env"].reset().observation

    def step(rng: np.random.Generator) -> tuple[Any, Any]:
        spec = held["env"].action_spec()
        low, high = np.clip(spec.minimum, -1, None), np.clip(spec.maximum, None, 1)
        found = held["env"].step(rng.uniform(low, high, spec.shape))
        return found.observation, found.reward

    def physics() -> tuple[Any, Any]:
        physics = held["env"].physics
        return physics.model.ptr, physics.data.ptr

    return Running(reset, step, physics)


def dm_control(name: str) -> Running:
    from dm_control import suite

    domain, _, task = name.partition(" ")
    return of_dm_env(lambda seed: suite.load(domain, task, task_kwargs={"random": seed}))


def metaworld(name: str) -> Running:
    from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as KINDS

    env = KINDS[f"{name}-goal-observable"](seed=0)
    return of_gymnasium(env)


ARM = """
<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
  <body name="base" pos="0 0 .2"><joint name="a" axis="0 0 1" range="-3 3" limited="true"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
    <body name="upper" pos=".3 0 0"><joint name="b" axis="0 1 0" range="-2 2" limited="true"/>
      <geom name="upper" type="capsule" fromto=".06 0 0 .3 0 0" size=".04"/>
      <body name="lower" pos=".3 0 0"><joint name="c" axis="0 1 0" range="-2 2" limited="true"/>
        <geom name="lower" type="capsule" fromto=".06 0 0 .2 0 0" size=".03"/>
        <site name="hand" pos=".2 0 0"/></body></body></body>
  <body name="target" mocap="true"/>
</worldbody></mujoco>
"""


def mink(name: str) -> Running:
    """Inverse kinematics that follow a moving target."""
    import mink
    import mujoco

    model = mujoco.MjModel.from_xml_string(ARM)
    configuration = mink.Configuration(model)
    hand = mink.FrameTask("hand", "site", position_cost=1.0, orientation_cost=0.1)
    posture = mink.PostureTask(model, cost=1e-2)
    limits = [mink.ConfigurationLimit(model)]
    limits.append(mink.CollisionAvoidanceLimit(model, geom_pairs=[(["lower"], ["floor"])]))
    configuration.data.qpos[:] = 0

    def reset(seed: int) -> Any:
        configuration.update(np.array([0.1, 0.2, -0.3]))
        posture.set_target_from_configuration(configuration)
        return configuration.q.copy()

    def step(rng: np.random.Generator) -> tuple[Any, Any]:
        pose = mink.SE3.from_rotation_and_translation(
            mink.SO3.identity(), np.array([0.5, 0.2, 0.2]) + 0.1 * rng.standard_normal(3)
        )
        hand.set_target(pose)
        velocity = mink.solve_ik(
            configuration, [hand, posture], 0.02, "daqp", damping=1e-3, limits=limits
        )
        configuration.integrate_inplace(velocity, 0.02)
        return configuration.q.copy(), np.linalg.norm(velocity)

    return Running(reset, step, lambda: (model, configuration.data))


def robosuite(name: str) -> Running:
    import robosuite

    held: dict[str, Any] = {}

    def reset(seed: int) -> Any:
        held["env"] = robosuite.make(
            name, robots="Panda", has_renderer=False, has_offscreen_renderer=False,
            use_camera_obs=False, hard_reset=False, seed=seed,
        )  # fmt: skip
        return held["env"].reset()

    def step(rng: np.random.Generator) -> tuple[Any, Any]:
        low, high = held["env"].action_spec
        return held["env"].step(rng.uniform(low, high))[:2]

    def physics() -> tuple[Any, Any]:
        sim = held["env"].sim
        return sim.model._model, sim.data._data

    return Running(reset, step, physics)


def myosuite(name: str) -> Running:
    import gymnasium as gym
    import myosuite  # noqa: F401 (registers its tasks)

    def physics(held: Any) -> tuple[Any, Any]:
        return held.mj_model, held.mj_data

    return of_gymnasium(gym.make(name), physics)


def gym_aloha(name: str) -> Running:
    import gym_aloha  # noqa: F401 (registers its tasks)
    import gymnasium as gym

    if without_opengl():
        from dm_control.mujoco import Physics

        Physics.render = lambda self, height, width, **_: np.zeros((height, width, 3), np.uint8)
    env = gym.make(name, obs_type="pixels_agent_pos", observation_width=64, observation_height=48)
    inner = of_gymnasium(
        env, lambda held: (held._env.physics.model.ptr, held._env.physics.data.ptr)
    )
    return inner._replace(
        reset=lambda seed: inner.reset(seed)["agent_pos"],
        step=lambda rng: (lambda found: (found[0]["agent_pos"], found[1]))(inner.step(rng)),
    )


def gym_hil(name: str) -> Running:
    import gym_hil  # noqa: F401 (registers its tasks)
    import gymnasium as gym

    if without_opengl():
        import mujoco

        mujoco.Renderer = NoPictures

    def physics(held: Any) -> tuple[Any, Any]:
        return held._model, held._data

    return of_gymnasium(gym.make(name), physics)


METAWORLD = """
assembly basketball bin-picking box-close button-press-topdown button-press-topdown-wall
button-press button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble
door-close door-lock door-open door-unlock hand-insert drawer-close drawer-open faucet-open
faucet-close hammer handle-press-side handle-press handle-pull-side handle-pull lever-pull
pick-place-wall pick-out-of-hole pick-place plate-slide plate-slide-side plate-slide-back
plate-slide-back-side peg-insert-side peg-unplug-side soccer stick-push stick-pull push
push-wall push-back reach reach-wall shelf-place sweep-into sweep window-open window-close
"""
# package -> how to run a task of it, and its tasks
PACKAGES: dict[str, tuple[Callable[[str], Running], tuple[str, ...]]] = {
    "gymnasium": (gymnasium, (
        "Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5",
        "InvertedDoublePendulum-v5", "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5",
        "Swimmer-v5", "Walker2d-v5",
    )),
    "gymnasium-robotics": (gymnasium_robotics, (
        "FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3",
        "HandManipulateBlock-v1", "HandManipulateBlock_ContinuousTouchSensors-v1",
        "AntMaze_UMaze-v5", "PointMaze_UMaze-v3", "FrankaKitchen-v1", "AdroitHandDoor-v1",
        "AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocate-v1",
    )),
    "dm_control": (dm_control, (
        "acrobot swingup", "ball_in_cup catch", "cartpole swingup", "cheetah run", "dog run",
        "finger spin", "fish swim", "hopper hop", "humanoid run", "humanoid_CMU run", "lqr lqr_2_1",
        "manipulator bring_ball", "pendulum swingup", "point_mass easy", "quadruped run",
        "reacher easy", "stacker stack_2", "swimmer swimmer6", "walker run",
    )),
    "metaworld": (metaworld, tuple(f"{name}-v3" for name in METAWORLD.split())),
    "mink": (mink, ("arm",)),
    "robosuite": (robosuite, ("Lift", "Stack", "Door", "NutAssembly", "Wipe")),
    "myosuite": (myosuite, (
        "myoElbowPose1D6MRandom-v0", "myoFingerPoseRandom-v0", "myoFingerReachRandom-v0",
        "myoHandPoseRandom-v0", "myoHandReachRandom-v0", "myoHandPenTwirlRandom-v0",
        "myoHandObjHoldRandom-v0", "myoLegWalk-v0", "myoLegStandRandom-v0", "myoArmReachRandom-v0",
    )),
    "gym_aloha": (gym_aloha, ("gym_aloha/AlohaInsertion-v0", "gym_aloha/AlohaTransferCube-v0")),
    "gym_hil": (gym_hil, ("gym_hil/PandaPickCubeBase-v0", "gym_hil/PandaArrangeBoxesBase-v0")),
}  # fmt: skip
