"""Randomized fields with several components, several distributions, servos and mocap bodies."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import Channel, Every, LogUniform, Normal, Push, Uniform

XML = """
<mujoco>
  <worldbody>
    <body name="target" mocap="true" pos=".1 .2 .3"><geom size=".05" contype="0" conaffinity="0"/>
      <site name="tip" pos="0 0 .1"/></body>
    <body name="still" pos="0 0 2"><geom size=".05"/></body>
    <body name="a"><joint name="x" axis="0 1 0"/><geom name="ga" size=".1 .2" type="capsule"/>
      <body name="b" pos="0 0 -1"><joint name="y" axis="0 1 0"/><geom name="gb" size=".1"/></body>
    </body>
  </worldbody>
  <actuator>
    <position name="p" joint="x" kp="10" kv="2"/>
    <velocity name="v" joint="y" kv="5"/>
    <intvelocity name="i" joint="y" kp="4" actrange="-1 1"/>
    <motor name="m" joint="x"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/><jointpos joint="x"/></sensor>
</mujoco>
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(XML)


class Arm(mjenv.Task):
    xml_file = "./arm.xml"

    def outcome(self, data, action, before):
        x = data.qpos[..., 0]
        return mjenv.Outcome({"zero": 0.0 * x}, np.abs(x) > 10.0, {"x": x})


def make(randomization, num_envs=3, **parameters):
    return mjenv.VectorEnv(task=Arm, num_envs=num_envs, randomization=randomization, **parameters)


def drawn(kind, name="body_pos", **parameters):
    """A field in three worlds, and the model's own."""
    envs = make({name: kind}, **parameters)
    infos = envs.reset(seed=0)[1]
    return infos[f"randomized_{name}"], np.array(getattr(envs.model, name, 0.0))


def test_components_are_independent_unless_scaled():
    moved, own = drawn(Uniform(-0.1, 0.1, "add"))
    change = moved - own
    assert len(np.unique(change[0, 1])) == 3
    scaled, own = drawn(Uniform(0.5, 1.5), "geom_size")
    ratio = (scaled / np.where(own == 0, np.nan, own))[:, 2, :2]
    np.testing.assert_allclose(ratio[:, 0], ratio[:, 1])
    same, own = drawn(Uniform(-0.1, 0.1, "add", axes="same"))
    np.testing.assert_allclose(np.ptp((same - own)[:, 1], axis=-1), 0.0, atol=1e-15)
    different, own = drawn(Uniform(0.5, 1.5, axes="own"), "geom_friction")
    assert len(np.unique(different[0, 0] / own[0])) == 3


def test_limits_for_each_component():
    moved, own = drawn(Uniform((-0.1, 0.0, 0.5), (0.1, 0.0, 0.5), "add", of=("target",)))
    change = (moved - own)[:, 1]
    np.testing.assert_allclose(change[:, 1:], [[0.0, 0.5]] * 3)
    assert len(np.unique(change[:, 0])) == 3
    assert np.all((moved - own)[:, 2:] == 0.0)
    together, own = drawn(
        LogUniform((1.0, 2.0, 4.0), (2.0, 4.0, 8.0), axes="same"), "geom_friction"
    )
    np.testing.assert_allclose(together / own, (together / own)[..., :1] * [1.0, 2.0, 4.0])
    normal, own = drawn(Normal((0.0, 5.0, 0.0), (0.0, 0.0, 1.0)))
    np.testing.assert_allclose((normal - own)[:, 1, :2], [[0.0, 5.0]] * 3)


def test_several_distributions_for_one_field():
    """One after the other, as where a load is added to one body of a robot."""
    kinds = [Uniform(0.5, 0.5), Uniform(1.0, 1.0, "add", of=("a",)), Uniform(2.0, 2.0, of=("b",))]
    mass, own = drawn(kinds, "body_mass")
    np.testing.assert_allclose(mass[1, 3:], [0.5 * own[3] + 1.0, own[4]])
    with pytest.raises(ValueError, match="expected the same for all distributions of a field"):
        make({"body_mass": [Uniform(1, 2), Uniform(1, 2, when="start")]})
    with pytest.raises(TypeError, match=r"'body_mass' is .*expected mjenv.Uniform"):
        make({"body_mass": [Uniform(1, 2), 3.0]})


def test_gains_of_servos_with_other_targets():
    """Where a target is scaled and offset, it stays what it is."""
    servo = 'gainprm="2" biastype="affine" biasprm="3 -10 -2"'
    xml = XML.replace("<position", "<general").replace('kp="10" kv="2"', servo)
    (Path.cwd() / "arm.xml").write_text(xml)
    envs = make({"actuator_kp": Uniform(0.5, 2.0), "actuator_kv": Uniform(0.5, 2.0)})
    infos = envs.reset(seed=0)[1]
    kp, kv = (infos[f"randomized_{name}"][:, 0] for name in ("actuator_kp", "actuator_kv"))
    assert np.ptp(kp) > 1.0
    gain, bias = (envs.data.varied[f"actuator_{name}prm"][:, 0] for name in ("gain", "bias"))
    np.testing.assert_allclose(gain[:, 0], 0.2 * kp, rtol=1e-15)
    np.testing.assert_allclose(bias[:, :3], np.stack([0.3 * kp, -kp, -kv], axis=-1), rtol=1e-15)


def test_gains_of_servos():
    """Kp and kv stay what they are in both arrays, as when the model were written with them."""
    gains = {
        "actuator_kp": Uniform(0.5, 2.0),
        "actuator_kv": Uniform(3.0, 4.0, "set", of=("p", "v")),
    }
    envs = make(gains, compiled=False)
    infos = envs.reset(seed=0)[1]
    kp, kv = infos["randomized_actuator_kp"], infos["randomized_actuator_kv"]
    assert np.all(kp[:, [0, 2]] > 0)
    assert np.all(kp[:, [1, 3]] == 0)
    single = mjenv.Env(task=Arm, randomization=gains)
    np.testing.assert_array_equal(single.reset(seed=2)[1]["randomized_actuator_kp"], kp[2])
    text = (
        XML.replace('kp="10" kv="2"', f'kp="{kp[2, 0]!r}" kv="{kv[2, 0]!r}"')
        .replace('kv="5"', f'kv="{kv[2, 1]!r}"')
        .replace('kp="4"', f'kp="{kp[2, 2]!r}"')
        .replace("np.float64(", "")
        .replace(')"', '"')
    )
    model = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(envs.data.varied["actuator_gainprm"][2], model.actuator_gainprm)
    np.testing.assert_array_equal(envs.data.varied["actuator_biasprm"][2], model.actuator_biasprm)
    data, action = mujoco.MjData(model), np.array([0.3, -0.2, 0.5, 0.1])
    for _ in range(10):
        envs.step(np.tile(action, (3, 1)))
        data.ctrl[:] = action
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(envs.data.qpos[2], data.qpos, atol=1e-12)
    rows = envs.save_state()
    expected = envs.step(np.zeros((3, 4)))[0]
    single.restore_state(rows[2])
    np.testing.assert_array_equal(single.step(np.zeros(4))[0], expected[2])
    for wrong, message in (
        ({"actuator_kp": Uniform(1, 2, of=("v",))}, "'v' is no actuator with this gain"),
        (gains | {"actuator_gainprm": Uniform(1, 2)}, "both are about the gains of actuators"),
    ):
        with pytest.raises(ValueError, match=message):
            make(wrong).reset(seed=0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_mocap_bodies_move(mode):
    """They stand where a reset of the world's own model would have them, in every episode."""
    field = {"body_pos": Uniform(-0.2, 0.2, "add", of=("target",)), "body_quat": Uniform(1, 1)}
    envs = make(field, max_episode_steps=2, autoreset_mode=mode)
    single = mjenv.Env(task=Arm, randomization=field)
    observations, alone = envs.reset(seed=0)[0], single.reset(seed=2)[0]
    seen = set()
    for k in range(7):
        places = envs.data.varied["body_pos"][:, 1]
        np.testing.assert_array_equal(envs.data.mocap_pos[:, 0], places)
        np.testing.assert_allclose(observations[:, :3], places + np.array([0, 0, 0.1]))
        if mode == "NextStep":
            np.testing.assert_array_equal(observations[2], alone)
            alone = single.reset()[0] if k % 3 == 2 else single.step(np.zeros(4))[0]
        seen.add(places.tobytes())
        observations = envs.step(np.zeros((3, 4)))[0]
    assert len(seen) > 2


def test_mocap_bodies_move_in_episodes():
    envs = make({"body_pos": Uniform(0, 1, "add", of=("target",), when=Every(1, unit="steps"))})
    envs.reset(seed=0)
    before = envs.data.mocap_pos.copy()
    for _ in range(3):
        envs.step(np.zeros((3, 4)))
        np.testing.assert_array_equal(envs.data.mocap_pos[:, 0], envs.data.varied["body_pos"][:, 1])
    assert np.all(envs.data.mocap_pos != before)


def test_initial_positions_of_each_world():
    """Where qpos0 differs between worlds, episodes start around the world's own."""
    field = {"qpos0": Uniform(-0.5, 0.5, "add")}
    envs, single = make(field, max_episode_steps=2), mjenv.Env(task=Arm, randomization=field)
    envs.reset(seed=0)
    single.reset(seed=1)
    np.testing.assert_array_equal(envs.data.qpos, envs.data.varied["qpos0"])
    np.testing.assert_array_equal(single.data.qpos, envs.data.qpos[1])
    assert len(np.unique(envs.data.qpos)) == 6
    for _ in range(3):
        envs.step(np.zeros((3, 4)))
    np.testing.assert_array_equal(envs.data.qpos, envs.data.varied["qpos0"])


def test_keyframes_of_each_world():
    text = XML.replace("</mujoco>", '<keyframe><key qpos="1 2" time="3"/></keyframe></mujoco>')
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model, 2, vary=("key_qpos", "body_pos", "key_time"))
    data.varied["key_qpos"][1], data.varied["key_time"][1] = 7.0, 8.0
    data.varied["body_pos"][1, 1] = 9.0
    mjenv.reset(model, data)
    np.testing.assert_array_equal(data.mocap_pos[:, 0], [[0.1, 0.2, 0.3], [9.0] * 3])
    mjenv.reset(model, data, keyframe=0)
    np.testing.assert_array_equal(data.qpos, [[1, 2], [7, 7]])
    np.testing.assert_array_equal(data.time, [3, 8])


REFUSED = {
    "negative mass": ({"body_mass": Uniform(-0.5, 2.0)}, "values down to -.*none below 0"),
    "subtracted": ({"body_mass": Uniform(-1e3, 0.0, "add")}, "within="),
    "size": ({"geom_size": Uniform(-1, 1, "set")}, "'geom_size': values down to -1"),
    "inertia": ({"body_inertia": Uniform(-1, 1)}, "none below 0"),
    "obs": ({"obs": Channel(history=2)}, "'obs' is a channel, .*did you mean 'observation'"),
    "act": ({"act": Channel(delay=1)}, "did you mean 'action'"),
    "axes": ({"body_pos": Uniform(0, 1, axes="sam")}, "axes='sam', .*did you mean 'same'"),
    "too many": ({"body_mass": Uniform((1, 2), (2, 3))}, r"low=\(1, 2\), expected a number"),
    "two of three": ({"body_pos": Uniform((1, 2), (2, 3))}, "expected a number or 3 of them"),
    "within": ({"body_mass": Uniform(1, 2, within=(3, 1))}, r"within=\(3, 1\), expected"),
    "noise": ({"observation": Channel(noise=Uniform(0, 1, axes="own"))}, "axes='own' has no mean"),
    "force": (
        {"push": Push(of=("a",), force=Uniform(0, 1, of=("a",)))},
        r"of=\('a',\) has no meaning here",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    declared, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        make(declared)


def test_numbers_below_zero():
    """Where a distribution has no limits, a draw is refused, or clipped as declared."""
    with pytest.raises(ValueError, match=r"'body_mass': drew .* in world \d, expected .*within="):
        make({"body_mass": Normal(0.0, 1e3)}).reset(seed=0)
    mass, _ = drawn(Normal(0.0, 1e3, within=(0.5, 2.0), of=("a", "b")), "body_mass")
    assert mass[:, 3:].min() >= 0.5
    assert mass.max() <= 2.0


def test_declarations_changed_in_place():
    declared = {"body_mass": Uniform(1, 2)}
    envs = make(declared)
    envs.reset(seed=0)
    declared["body_mass"] = Uniform(2, 3)
    with pytest.raises(ValueError, match="'body_mass' was changed after the environment was made"):
        envs.reset()


class Placing(Arm):
    """Says more about the start of an episode than positions."""

    def reset(self, rng, *, goal=None, height=0.0):
        place = rng.uniform(-1.0, 1.0, 3) if goal is None else np.asarray(goal)
        place[..., 2] = height
        return {
            "qpos": self.init_qpos + rng.uniform(-0.1, 0.1, 2),
            "mocap_pos": place[..., None, :],
            "act": rng.uniform(-1.0, 1.0, 1),
            "time": rng.uniform(),
        }


@pytest.mark.parametrize("compiled", [True, False])
def test_initial_states_of_other_fields(compiled):
    """A task may place mocap bodies and more; the bits are those of the single environment."""
    envs = mjenv.VectorEnv(task=Placing, num_envs=3, max_episode_steps=2, compiled=compiled)
    single = mjenv.Env(task=Placing, compiled=compiled)
    observations, alone = envs.reset(seed=0)[0], single.reset(seed=2)[0]
    for k in range(8):
        np.testing.assert_array_equal(observations[2], alone)
        np.testing.assert_array_equal(envs.data.act[2], single.data.act)
        assert envs.data.time[2] == single.data.time
        if k == 4:
            rows = envs.save_state()
            single.restore_state(rows[2])
        np.testing.assert_array_equal(envs.data.mocap_pos[2], single.data.mocap_pos)
        alone = single.reset()[0] if k % 3 == 2 else single.step(np.zeros(4))[0]
        observations = envs.step(np.zeros((3, 4)))[0]
    assert len(np.unique(envs.data.mocap_pos[..., :2])) == 6


def test_options_of_a_task():
    """The keyword-only arguments of its `reset` are options of the environment's."""
    envs, single = mjenv.VectorEnv(task=Placing, num_envs=3), mjenv.Env(task=Placing)
    goals = np.arange(9.0).reshape(3, 3)
    observations, _ = envs.reset(seed=0, options={"goal": goals.copy(), "height": 2.0})
    np.testing.assert_allclose(observations[:, :3], [[0, 1, 2.1], [3, 4, 2.1], [6, 7, 2.1]])
    alone, _ = single.reset(seed=2, options={"goal": goals[2].copy(), "height": 2.0})
    np.testing.assert_array_equal(observations[2], alone)
    for env in (envs, single):
        with pytest.raises(ValueError, match=r"found 'goals', expected some .*mean 'goal'"):
            env.reset(options={"goals": goals})


def test_unknown_options():
    envs, single = make(None), mjenv.Env(task=Arm)
    with pytest.raises(ValueError, match=r"found 'resetmask', .*did you mean 'reset_mask'"):
        envs.reset(options={"resetmask": np.ones(3, bool)})
    with pytest.raises(ValueError, match="found 'foo', expected some of"):
        single.reset(options={"foo": 1})
    with pytest.raises(TypeError, match="options=3, expected a dict"):
        single.reset(options=3)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_envs", [None, 3])
def test_initial_states_that_are_refused(num_envs):
    for state, error, message in (
        ({"mocap_po": 0.0}, ValueError, "the field 'mocap_po', .*did you mean 'mocap_pos'"),
        ({"mocap_pos": np.zeros(3)}, ValueError, r"mocap_pos has shape \(3,\), expected"),
        (3.0, TypeError, "returned a float, expected qpos and qvel, or a dict of fields"),
    ):
        kind = type("Mine", (Arm,), {"reset": lambda self, rng, state=state: state})
        env = (
            mjenv.Env(task=kind)
            if num_envs is None
            else mjenv.VectorEnv(task=kind, num_envs=num_envs)
        )
        with pytest.raises(error, match=message):
            env.reset(seed=0)
