"""Robots of Unitree: their models, servos, commands, rewards, terrain, and reference motions."""

import sys
from types import SimpleNamespace
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.envs.robots.clip import FPS, read
from mjenv.envs.robots.g1 import G1Velocity
from mjenv.envs.robots.go1 import Go1Rough, Go1Velocity
from mjenv.envs.robots.tracking import BODIES, G1Tracking
from mjenv.envs.robots.unitree import mjlab_file
from mjenv.task.task import XML
from mjenv.training.portable import shipped


def made(name, num_envs=4, **arguments) -> Any:
    envs = gymnasium.make_vec(f"mjenv/{name}", num_envs=num_envs, **arguments).unwrapped
    envs.reset(seed=0)
    return envs


def nothing(envs):
    """Actions of zero."""
    return np.zeros((envs.num_envs, envs.model.nu), np.float32)


@pytest.fixture
def mjlab(tmp_path, monkeypatch):
    """A package mjlab, whose robots are ours, without what programs are to add."""
    for name in ("go1", "g1"):
        folder = tmp_path / "mjlab" / "asset_zoo" / "robots" / f"unitree_{name}" / "xmls"
        folder.mkdir(parents=True)
        spec = mjenv.Spec.from_file(XML / f"robots/{name}_robot.xml")
        for element in spec.all("joint", "geom"):
            for attribute in ("armature", "contype", "conaffinity", "condim", "priority"):
                if attribute in element.given:
                    delattr(element, attribute)
        spec.body("trunk" if name == "go1" else "pelvis").add_geom(size=0.3, mass=0.0, contype=0)
        (folder / f"{name}.xml").write_text(spec.to_xml())
    (tmp_path / "mjlab" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Go1Velocity, G1Velocity])
def test_models_of_mjlab(kind, mjlab):
    """The package's file is used without an import of it, with our motors and contacts."""
    own, other = kind(randomization={}), kind(robot="mjlab", randomization={})
    assert other.model.ngeom == own.model.ngeom + 1
    np.testing.assert_array_equal(other.model.dof_armature, own.model.dof_armature)
    for k in range(own.model.ngeom):
        name = own.model.geom(k).name
        if not name.endswith("_collision"):
            continue
        for field in ("contype", "conaffinity", "condim", "priority"):
            values = [getattr(task.model.geom(name), field)[0] for task in (own, other)]
            assert values[0] == values[1], (name, field)
    assert mjenv.check_task(kind, robot="mjlab") is None
    assert "mjlab" not in sys.modules


def test_models_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr("mjenv.envs.robots.unitree.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"mjlab: not installed, robot=.mjlab"):
        Go1Velocity(robot="mjlab")
    with pytest.raises(ValueError, match="robot='meshes', expected 'simple' or 'mjlab'"):
        Go1Velocity(robot="meshes")
    empty = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("mjenv.envs.robots.unitree.find_spec", lambda name: empty)
    with pytest.raises(FileNotFoundError, match=r"no file .*go1.xml, expected that of mjlab"):
        mjlab_file("go1")


@pytest.mark.parametrize("name", ["go1", "g1"])
def test_servos(name):
    """At home an action of 1 gives a quarter of the greatest force, and 0 none."""
    model = mujoco.MjModel.from_xml_path(str(XML / f"robots/{name}.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.actuator_force, 0.0, atol=2e-5)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.actuator_force, model.actuator_forcerange[:, 1] / 4, atol=2e-5)


@pytest.mark.slow
def test_commands_of_the_go1():
    """Shares of commands that stand, turn to a direction and go straight on."""
    envs = made("Go1Velocity-v0", 2000, randomization={})
    state, task = envs.task_state, envs.task
    command = state.command.copy()
    assert (np.abs(command) <= task.fastest).all()
    standing = (command == 0.0).all(axis=1)
    assert 0.07 < standing.mean() < 0.13
    assert 0.22 < state.steered.mean() < 0.32
    assert not state.steered[standing].any()
    straight = (command[:, 0] >= 0.3) & (command[:, 1:] == 0.0).all(axis=1)
    assert 0.15 < straight.mean() < 0.21
    assert state.wait.min() < 3.1
    assert state.wait.max() > 7.9
    # one step later those that turn do so in proportion to what is left
    envs.step(nothing(envs))
    yaw = mjenv.terms.yaw(envs.data.qpos[:, 3:7])
    away = (state.heading - yaw + np.pi) % (2 * np.pi) - np.pi
    expected = np.where(state.steered > 0, np.clip(0.5 * away, -1.0, 1.0), command[:, 2])
    np.testing.assert_allclose(state.command[:, 2], expected, atol=1e-12)
    # a command from outside is followed by all
    task.take(state, [0.5, 0.0, 0.1])
    envs.step(nothing(envs))
    np.testing.assert_array_equal(state.command, [[0.5, 0.0, 0.1]] * 2000)
    state.steps = 500
    envs.step(nothing(envs))
    assert (state.command[:, 0] == 0.5).mean() < 0.01


def test_rewards_of_the_go1():
    """Terms of a state by their formulas, times mjlab's weights and the duration of a step."""
    envs = made("Go1Velocity-v0", 3, randomization={}, convention="mjlab")
    task, random = envs.task, np.random.default_rng(0)
    envs.task.take(envs.task_state, np.array([[0.0, 0.0, 0.0], [0.5, 0.2, 0.1], [1.0, -1.0, 0.5]]))
    for _ in range(12):
        action = random.uniform(-1, 1, (3, 12)).astype(np.float32)
        before = {name: getattr(envs.task_state, name).copy() for name in task.state}
        *_, infos = envs.step(action)
    data = envs.data
    rotation = np.array([m.reshape(3, 3) for m in map(matrix, data.qpos[:, 3:7])])
    velocity = np.einsum("nji,nj->ni", rotation, data.qvel[:, :3])
    turn, command = data.qvel[:, 3:6], before["command"]
    ahead = ((command[:, :2] - velocity[:, :2]) ** 2).sum(1) + velocity[:, 2] ** 2
    about = (turn[:, :2] ** 2).sum(1) + (command[:, 2] - turn[:, 2]) ** 2
    speed = np.hypot(*command[:, :2].T) + np.abs(command[:, 2])
    width = np.where(np.arange(12) % 3 == 2, 2.0, 1.0) * np.where(speed < 0.05, 0.05, 0.3)[:, None]
    apart = (data.qpos[:, 7:] - task.home[7:]) / width
    feet = np.array([data.sensor(f"{n}_pos").data for n in ("FR", "FL", "RR", "RL")])[..., 2].T
    moves = np.array([data.sensor(f"{n}_vel").data for n in ("FR", "FL", "RR", "RL")])[..., :2]
    plane = np.hypot(moves[..., 0], moves[..., 1]).T
    expected = {
        "track_linear_velocity": 2 * np.exp(-ahead / 0.25),
        "track_angular_velocity": 2 * np.exp(-about / 0.5),
        "upright": np.exp(-(rotation[:, 2, :2] ** 2).sum(1) / 0.2),
        "pose": np.exp(-(apart**2).mean(1)),
        "action_rate_l2": -0.1 * ((action - before["last_action"]) ** 2).sum(1),
        "foot_clearance": -2 * (speed > 0.05) * (np.abs(feet - 0.1) * plane).sum(1),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(infos[name], 0.02 * value, rtol=1e-9, atol=1e-12, err_msg=name)
    touch = (
        np.array([data.sensor(f"{n}_ground").data[:, 0] for n in ("FR", "FL", "RR", "RL")]).T > 0
    )
    np.testing.assert_allclose(
        envs.task_state.air, np.where(touch, 0.0, before["air"] + 0.02), atol=1e-12
    )
    assert touch.any()
    assert not touch.all()


def test_gait_of_the_go1():
    """Diagonal feet go up and down with a clock, or stay down where it is told to stand."""
    envs = made("Go1Velocity-v0", 3, randomization={})
    task, state, data = envs.task, envs.task_state, envs.data
    task.take(state, np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]))
    state.phase = phase = np.array([1.2, 4.0, 1.2])
    *_, infos = envs.step(nothing(envs))
    names = ("FR", "FL", "RR", "RL")
    swing = np.maximum(np.sin(phase)[:, None] * [1.0, -1.0, -1.0, 1.0], 0.0)
    swing[2] = 0.0
    heights = np.array([data.sensor(f"{n}_pos").data[:, 2] for n in names]).T
    touch = np.array([data.sensor(f"{n}_ground").data[:, 0] for n in names]).T > 0
    apart = (heights - 0.023 - 0.08 * swing) / 0.08
    expected = {
        "feet": 2.0 * np.exp(-np.square(apart).sum(axis=1)),
        "stance": (touch == (swing < 0.1)).mean(axis=1),
        "bounce": -0.3
        * (np.square(data.qvel[:, 2]) + 0.04 * np.square(data.qvel[:, 3:5]).sum(axis=1)),
        "track_angular_velocity": 1.25
        * np.exp(
            -4.0
            * (
                np.square(data.qvel[:, 5] - [0.0, 0.5, 0.0])
                + 0.1 * np.square(data.qvel[:, 3:5]).sum(axis=1)
            )
        ),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(infos[name], 0.02 * value, rtol=1e-3, atol=1e-6, err_msg=name)
    assert infos["feet"][2] > infos["feet"][0]
    after = phase + 2 * np.pi * 2.0 * 0.02
    np.testing.assert_allclose(state.phase, after, atol=1e-12)
    seen = envs.step(nothing(envs))[0]["policy"]
    np.testing.assert_allclose(
        seen[:, 45:47], np.stack([np.sin(after + 0.08 * np.pi), np.cos(after + 0.08 * np.pi)], 1)
    )


@pytest.mark.parametrize("kind", [Go1Velocity, Go1Rough, G1Velocity])
def test_conventions(kind):
    """Arguments replace those of mjlab; without a clock it is not observed."""
    own, other = kind(randomization={}), kind(convention="mjlab", randomization={})
    assert own.fastest != other.fastest
    assert own.weights.keys() == other.weights.keys()
    assert other.weights["feet"] == other.weights["stance"] == 0.0
    assert "clock" in own.groups["policy"]
    assert "clock" not in other.groups["policy"] + other.groups["critic"]
    assert kind(convention="mjlab", pace=1.0, randomization={}).pace == 1.0
    with pytest.raises(ValueError, match="convention='legged', expected 'mjenv' or 'mjlab'"):
        kind(convention="legged")


@pytest.mark.slow
def test_the_go1_that_comes_with_mjenv_follows_commands():
    """Ahead, back, aside and around, in worlds that differ, with pushes; hardly one falls."""
    agent = shipped("mjenv/Go1Velocity-v0")
    envs = made("Go1Velocity-v0", 40)
    asked = np.array([[0.5, 0, 0], [1, 0, 0], [-0.5, 0, 0], [0, 0.4, 0], [0, 0, 0.8]])
    command, went, fallen = np.repeat(asked, 8, axis=0), np.zeros((40, 3)), np.zeros(40, bool)
    seen = envs.reset(seed=1)[0]
    for k in range(300):
        envs.task.take(envs.task_state, command)
        seen["policy"][:, -3:] = command
        seen, _, terminated, *_ = envs.step(agent.act(seen).astype(np.float32))
        fallen |= terminated
        velocity = envs.task.velocity(envs.data)[:, :2]
        went += np.c_[velocity, envs.data.qvel[:, 5]] * (k >= 50) / 250
    assert fallen.sum() <= 3
    for row, goal in enumerate(asked):
        group = slice(8 * row, 8 * row + 8)
        mean = went[group][~fallen[group]].mean(axis=0)
        np.testing.assert_allclose(mean, goal, atol=0.2, err_msg=str(goal))


def matrix(quat):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quat)
    return out


@pytest.mark.slow
def test_what_policies_and_critics_see():
    """The policy has noise and a bias of the joints, the critic neither."""
    envs = made("Go1Velocity-v0", 8)
    seen = envs.step(nothing(envs))[0]
    assert seen["policy"].shape == (8, 50)
    assert seen["critic"].shape == (8, 74)
    joints = envs.data.qpos[:, 7:] - envs.task.home[7:]
    np.testing.assert_allclose(seen["critic"][:, 9:21], joints, atol=1e-12)
    away = seen["policy"][:, 9:21] - joints - envs.task_state.bias
    assert 0.005 < np.abs(away).max() <= 0.01
    assert 0.01 < np.abs(envs.task_state.bias).max() <= 0.015
    still = made("Go1Velocity-v0", 2, randomization={}, encoder_bias=0.0)
    seen = still.step(nothing(still))[0]
    np.testing.assert_array_equal(seen["policy"][:, :33], seen["critic"][:, :33])


def test_worlds_differ():
    envs = made("Go1Velocity-v0", 16)
    infos = envs.reset(seed=1)[1]
    for name, low, high in (("body_mass", 0.9, 1.1), ("actuator_kp", 0.9, 1.1)):
        field = infos[f"randomized_{name}"]
        own = envs.model.body_mass if name == "body_mass" else -envs.model.actuator_biasprm[:, 1]
        ratio = field[:, own > 0] / own[own > 0]
        assert low <= ratio.min() < ratio.max() <= high
        assert np.ptp(ratio) > 0.15
    feet = [envs.model.geom(f"{n}_foot_collision").id for n in ("FR", "FL", "RR", "RL")]
    friction = infos["randomized_geom_friction"][:, feet]
    assert (friction[:, :, 0] == friction[:, :1, 0]).all()
    assert np.ptp(friction[:, 0, 0]) > 0.6
    assert set(infos["randomized_action_delay"].tolist()) == {0, 1}


def test_pose_without_a_pattern():
    task = Go1Velocity(pose_walking={"hip|thigh": 0.3})
    with pytest.raises(ValueError, match=r"no pattern of .* matches the joint 'FR_calf_joint'"):
        task.pose_widths  # noqa: B018


@pytest.mark.slow
def test_levels_of_the_go1():
    """Up where it got over the edge of its patch, down where it stayed behind its command."""
    envs = made("Go1Rough-v0", 4, max_episode_steps=2, randomization={})
    state, data = envs.task_state, envs.data
    state.level, state.home = [2, 2, 0, 5], data.qpos[:, :2] - [[4, 0], [0.01, 0], [0, 0], [0, 4]]
    state.command, state.steered = [[1.0, 0.0, 0.0]] * 4, 0.0
    for _ in range(3):
        envs.step(nothing(envs))
    np.testing.assert_array_equal(state.level, [3, 1, 0, 5])
    places = envs.task.terrain.place(state.level, state.kind)
    assert np.abs(data.qpos[:, :2] - places[:, :2]).max() <= 0.5
    np.testing.assert_array_equal(state.home, data.qpos[:, :2])


def test_slopes_under_the_go1():
    """On a slope along x, the trunk is upright where it leans as the ground does."""

    def ramp(hard, x, y, rng):
        return 0.25 * np.maximum(2.9 - np.abs(x), 0.0)

    task = Go1Rough(kinds=(ramp,), levels=1, randomization={})
    quat = np.zeros(4)
    mujoco.mju_axisAngle2Quat(quat, [0, 1, 0], np.arctan(0.25))  # nose down, on x > 0
    qpos = np.r_[1.5, 0.0, 0.7, quat, task.home[7:]]
    data = SimpleNamespace(qpos=qpos)
    tilt = task.tilt(data, quat)
    assert np.abs(tilt).max() < 0.03
    level = np.array([1.0, 0, 0, 0])
    assert abs(task.tilt(SimpleNamespace(qpos=np.r_[qpos[:3], level, qpos[7:]]), level)[0]) > 0.2


@pytest.mark.slow
def test_thighs_that_touch_the_ground():
    """An episode on rough terrain ends where a thigh lies on it, not where the robot leans."""
    envs = made("Go1Rough-v0", 2, randomization={}, autoreset_mode="Disabled")
    envs.data.qpos[0, 2] += 1.0
    envs.data.qpos[0, 3:7] = [np.cos(0.7), np.sin(0.7), 0, 0]
    envs.data.qpos[1, 2] -= 0.12
    envs.data.qpos[1, 3:7] = [np.cos(0.75), np.sin(0.75), 0, 0]
    over = np.zeros(2, bool)
    for _ in range(15):
        over = envs.step(nothing(envs))[2]
        if over.any():
            break
    np.testing.assert_array_equal(over, [False, True])


def test_clip_is_kinematics():
    """Bodies of the motion are where MuJoCo has them, with their velocities; soles do not slide."""
    task = G1Tracking(randomization={})
    model = mujoco.MjModel.from_xml_path(str(XML / "robots/g1.xml"))
    data, clip = mujoco.MjData(model), task.clip
    assert len(clip.joint_pos) == 4 * FPS
    for frame in range(0, 200, 17):
        data.qpos[:] = np.r_[clip.body_pos[frame, 1], 1, 0, 0, 0, clip.joint_pos[frame]]
        data.qvel[:] = np.r_[clip.body_lin_vel[frame, 1], 0, 0, 0, clip.joint_vel[frame]]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(clip.body_pos[frame, 1:], data.xpos[1:], atol=1e-12)
        for body in task.bodies:
            turn = matrix(clip.body_quat[frame, body])
            np.testing.assert_allclose(turn, data.xmat[body], atol=1e-12)
            found = np.zeros(6)
            kind = mujoco.mjtObj.mjOBJ_XBODY
            mujoco.mj_objectVelocity(model, data, kind, body, found, 0)
            np.testing.assert_allclose(clip.body_ang_vel[frame, body], found[:3], atol=3e-3)
            np.testing.assert_allclose(clip.body_lin_vel[frame, body], found[3:], atol=3e-3)
        assert all(contact.geom[0] == 0 for contact in data.contact)  # the floor
    soles = clip.body_pos[:, [model.body(f"{n}_ankle_roll_link").id for n in ("left", "right")]]
    assert np.ptp(soles, axis=0).max() < 4e-3


@pytest.mark.slow
def test_what_is_imitated():
    """Who does what is shown has all of the reward, also turned and elsewhere but for the root."""
    envs = made("G1Tracking-v0", 3, randomization={}, terminate_when_diverged=False)
    clip, data, frame = envs.task.clip, envs.data, 60
    data.qpos[:] = np.r_[clip.body_pos[frame, 1], 1, 0, 0, 0, clip.joint_pos[frame]]
    data.qvel[:] = np.r_[clip.body_lin_vel[frame, 1], 0, 0, 0, clip.joint_vel[frame]]
    data.qpos[1, :2] += [0.6, -0.3]
    data.qpos[1, 3:7] = [np.cos(0.4), 0, 0, np.sin(0.4)]
    data.qvel[1] = 0.0
    data.qpos[2, 2] += 0.4
    envs.task_state.frame = frame
    *_, terminated, _, infos = envs.step(nothing(envs))
    np.testing.assert_array_equal(terminated, [False, False, True])
    weights = {name: 0.02 * weight for name, weight in envs.task.weights.items() if weight > 0}
    share = {name: infos[name] / weight for name, weight in weights.items()}
    for name in ("motion_body_pos", "motion_body_ori"):
        assert share[name][:2].min() > 0.97, (name, share[name])
    assert share["motion_global_root_pos"][0] > 0.97
    assert share["motion_global_root_pos"][1] < 0.05
    assert share["motion_global_root_ori"][1] < 0.1
    assert share["motion_body_lin_vel"][0] > 0.7
    assert infos["frame"].tolist() == [61.0] * 3


@pytest.mark.slow
def test_motions_of_files(tmp_path):
    """A file of mjlab's format is read, played to its end, and refused where it does not fit."""
    task = G1Tracking(randomization={})
    clip, path = task.clip, tmp_path / "motion.npz"
    arrays = {
        "joint_pos": clip.joint_pos[:30], "joint_vel": clip.joint_vel[:30],
        "body_pos_w": clip.body_pos[:30, 1:], "body_quat_w": clip.body_quat[:30, 1:],
        "body_lin_vel_w": clip.body_lin_vel[:30, 1:], "body_ang_vel_w": clip.body_ang_vel[:30, 1:],
    }  # fmt: skip
    np.savez(path, fps=FPS, **arrays)
    other = G1Tracking(motion_file=str(path), randomization={})
    assert len(other.table) == 30 * (2 * 29 + 13 * len(BODIES))
    np.testing.assert_array_equal(other.table, task.table[: len(other.table)])
    assert mjenv.check_task(G1Tracking, motion_file=str(path)) is None
    envs = made("G1Tracking-v0", 2, motion_file=str(path), randomization={}, limit_height=9.0)
    envs.task_state.frame = [28, 29]
    for expected in ([29, 29], [29, 29]):
        envs.step(nothing(envs))
        np.testing.assert_array_equal(envs.task_state.frame, expected)
    np.savez(path, **{**arrays, "joint_pos": clip.joint_pos[:30, :28]})
    with pytest.raises(ValueError, match=r"joint_pos has shape \(30, 28\), expected \(30, 29\)"):
        read(str(path), task.model)
    del arrays["body_quat_w"]
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="found no body_quat_w, expected"):
        read(str(path), task.model)
