"""Pushes, kicks, noise, delay, history, and parameters that change during episodes."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from mjenv import Channel, Every, Kick, LogUniform, Normal, Push, Uniform
from mjenv.randomization.counters import Counters, Draws

ID = "mjenv/InvertedPendulum-v5"
DT = 0.04

EVERYTHING = {
    "dof_damping": Uniform(0.5, 2.0, when="start"),
    "geom_friction": LogUniform(0.5, 2.0),
    "opt_gravity": Normal(0.0, 0.2, when=Every(0.1, 0.3)),
    "push": Push(
        of=("cart", "pole"),
        force=(Uniform(-3, 3), 0, 0),
        torque=Normal(0, 0.1),
        every=Every(3, 6, "steps"),
        duration=(1, 2),
    ),
    "kick": Kick(of=("slider",), velocity=Uniform(-0.1, 0.1), every=Every(0.1, 0.2)),
    "observation": Channel(noise={"qvel": Normal(0, 0.01)}, delay=(0, 2), history=2),
    "action": Channel(noise=Uniform(-0.1, 0.1), delay=(0, 3), history=2),
}


def make(num_envs, randomization=None, **arguments):
    return gymnasium.make_vec(ID, num_envs=num_envs, randomization=randomization, **arguments)


def actions_of(count, num_envs, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (count, num_envs, 1)).astype(np.float32)


@pytest.mark.parametrize("num_envs", [1, 3, 40])
def test_lanes_are_single_environments(num_envs):
    """Whatever the number of lanes is, through ends of episodes."""
    envs = make(num_envs, EVERYTHING, max_episode_steps=12)
    lane = min(2, num_envs - 1)
    single = gymnasium.make(ID, randomization=EVERYTHING, max_episode_steps=12)
    first, info = single.reset(seed=7 + lane)
    observations, infos = envs.reset(seed=7)
    np.testing.assert_array_equal(observations[lane], first)
    assert {name for name in infos if name[0] != "_"} == set(info)
    # the same actions for all, so that a lane has the same ones whatever num_envs is
    ended = False
    for action in actions_of(40, 1):
        actions = np.repeat(action, num_envs, axis=0)
        found = envs.step(actions)
        if ended:
            expected, info = single.reset()
            ended = False
            assert found[1][lane] == 0
        else:
            expected, reward, terminated, truncated, info = single.step(action[0])
            assert found[1][lane] == reward
            ended = terminated or truncated
        np.testing.assert_array_equal(found[0][lane], expected)
        for name, value in info.items():
            np.testing.assert_array_equal(found[4][name][lane], value, err_msg=name)


def test_initial_states_are_those_without():
    plain, envs = make(4), make(4, EVERYTHING)
    plain.reset(seed=3)
    envs.reset(seed=3)
    for _ in range(3):
        np.testing.assert_array_equal(envs.data.qpos, plain.data.qpos)
        np.testing.assert_array_equal(envs.data.qvel, plain.data.qvel)
        for both in (plain, envs):
            both.step(np.zeros((4, 1)))
            both.reset()


def test_saved_environments_continue_with_the_same_bits():
    envs = make(5, EVERYTHING, max_episode_steps=9)
    envs.reset(seed=1)
    for action in 0.1 * actions_of(6, 5):
        last = envs.step(action)[0]
    rows = envs.save_state()
    twins = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs)), make(5, EVERYTHING)]
    twins[2] = make(5, EVERYTHING, max_episode_steps=9)
    np.testing.assert_array_equal(twins[2].restore_state(rows), last)
    actions = 0.1 * actions_of(25, 5, seed=1)
    expected = [envs.step(action) for action in actions]
    for twin in twins:
        np.testing.assert_equal([twin.step(action) for action in actions], expected)
    # one lane in a single environment, and a single environment in all lanes
    single = gymnasium.make(ID, randomization=EVERYTHING).unwrapped
    assert not expected[0][2][3]
    np.testing.assert_array_equal(single.restore_state(rows[3]), last[3])
    for action, results in zip(actions[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(single.step(action[3])[0], results[0][3])
    row = single.save_state()
    envs.restore_state(row)
    observation = single.step(actions[0, 0])[0]
    found = envs.step(np.repeat(actions[0, :1], 5, axis=0))[0]
    np.testing.assert_array_equal(found, np.repeat(observation[None], 5, axis=0))


def test_forks_with_seeds_of_their_own_part():
    envs = make(4, EVERYTHING)
    envs.reset(seed=1)
    rows = envs.save_state()
    envs.restore_state(rows[0], seed=10)
    for _ in range(3):
        found = envs.step(np.zeros((4, 1)))[0]
    assert len(np.unique(found[:, -3])) == 4
    assert len(np.unique(envs.data.varied["dof_damping"][:, 0])) == 1


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_subsets_and_batches_give_what_steps_give(mode):
    arguments = {"max_episode_steps": 5, "autoreset_mode": mode}
    envs, some = (make(4, EVERYTHING, **arguments) for _ in range(2))
    batched = make(4, EVERYTHING, batch_size=2, **arguments)
    np.testing.assert_equal(envs.reset(seed=2), some.reset(seed=2))
    batched.async_reset(seed=2)
    batched.recv()
    batched.recv()
    for action in actions_of(12, 4):
        expected = envs.step(action)
        for ids in ([3, 1], [0, 2]):
            found = some.step_some(action[ids], ids)
            batched.send(action[ids], ids)
            received = batched.recv()
            for k in range(4):
                np.testing.assert_array_equal(found[k], expected[k][ids])
                np.testing.assert_array_equal(received[k], expected[k][ids])
            if "randomized_push" in found[4]:
                mask = found[4]["_randomized_push"]
                np.testing.assert_array_equal(mask, expected[4]["_randomized_push"][ids])
        ended = expected[2] | expected[3]
        if mode == "SameStep" and ended.any():
            assert all(
                last.shape == envs.single_observation_space.shape
                for last in expected[4]["final_obs"][ended]
            )
        if mode == "Disabled" and ended.any():
            for one in (envs, some, batched):
                one.reset(options={"reset_mask": ended})
    batched.close()


def test_observations_come_late_and_with_their_past():
    plain = make(3)
    late = make(3, {"observation": Channel(delay=2, history=3)})
    assert late.single_observation_space.shape == (12,)
    past = [plain.reset(seed=0)[0]] * 5
    observation = late.reset(seed=0)[0]
    for action in actions_of(6, 3):
        np.testing.assert_array_equal(observation, np.concatenate(past[-5:-2], axis=1))
        past.append(plain.step(action)[0])
        observation = late.step(action)[0]
    single = late.observation_space.sample()
    assert late.observation_space.contains(single)


def test_actions_come_late_and_are_observed():
    plain, late = make(3), make(3, {"action": Channel(delay=2, history=2)})
    plain.reset(seed=0)
    late.reset(seed=0)
    actions = actions_of(7, 3)
    shifted = np.concatenate((np.zeros((2, 3, 1), np.float32), actions))
    for k in range(7):
        expected = plain.step(shifted[k])
        found = late.step(actions[k])
        np.testing.assert_array_equal(found[0][:, :4], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
        if k:
            np.testing.assert_array_equal(found[0][:, 4:], actions[k - 1 : k + 1, :, 0].T)
        np.testing.assert_array_equal(late.data.ctrl, shifted[k])


def test_delays_differ_between_episodes_and_are_reported():
    envs = make(200, {"observation": Channel(delay=(1, 3)), "action": Channel(delay=(0, 1))})
    infos = envs.reset(seed=0)[1]
    assert set(infos["randomized_observation_delay"]) == {1, 2, 3}
    assert set(infos["randomized_action_delay"]) == {0, 1}
    again = envs.reset()[1]
    assert np.any(again["randomized_action_delay"] != infos["randomized_action_delay"])


def test_noise_is_on_its_part_only():
    parts = list(gymnasium.make(ID).unwrapped._worlds.structure)
    noise = {parts[-1]: Uniform(-0.5, 0.5), parts[0]: Uniform(2, 2, "scale")}
    plain, noisy = make(500), make(500, {"observation": Channel(noise=noise)})
    expected, found = plain.reset(seed=0)[0], noisy.reset(seed=0)[0]
    added = found[:, 2:] - expected[:, 2:]
    assert abs(added.mean()) < 0.05
    assert abs(added.std() - 1 / np.sqrt(12)) < 0.02
    np.testing.assert_array_equal(found[:, :2], 2 * expected[:, :2])
    # the physics has no noise, and observing twice gives the same
    np.testing.assert_array_equal(plain.data.qpos, noisy.data.qpos)


def test_action_noise_reaches_the_physics():
    envs = make(500, {"action": Channel(noise=Normal(0.0, 0.3))})
    envs.reset(seed=0)
    envs.step(np.full((500, 1), 0.5))
    assert abs(envs.data.ctrl.mean() - 0.5) < 0.05
    assert abs(envs.data.ctrl.std() - 0.3) < 0.03


def test_pushes_last_their_time():
    push = Push(of=("pole",), force=(5.0, 0, 0), every=Every(4, unit="steps"), duration=2)
    envs = make(2, {"push": push})
    infos = envs.reset(seed=0)[1]
    np.testing.assert_array_equal(infos["randomized_push_wait"], [4, 4])
    forces, told = [], []
    for _ in range(11):
        infos = envs.step(np.zeros((2, 1)))[4]
        forces.append(envs.data.xfrc_applied[0, 2, 0])
        told.append("randomized_push" in infos)
    assert forces == [0, 0, 0, 0, 5, 5, 0, 0, 5, 5, 0]
    assert told == [force == 5 and forces[k - 1] == 0 for k, force in enumerate(forces)]
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert not envs.data.xfrc_applied[0].any()


def _to_the_right(data):
    return data.qpos[..., 0] > 0.0


@pytest.mark.parametrize("num_envs", [None, 6])
def test_events_with_a_condition(num_envs):
    """A kick that is due waits until the cart is on the right, and comes once a second then."""
    kick = Kick(of=("slider",), velocity=1.0, every=Every(5, unit="steps"), where=_to_the_right)
    envs = gymnasium.make(ID, randomization={"kick": kick}) if num_envs is None else None
    envs = envs or make(num_envs, {"kick": kick}, autoreset_mode="Disabled")
    envs.reset(seed=0)
    data, count = envs.unwrapped.data, num_envs or 1
    last = np.full(count, -1)
    for k in range(40):
        # the cart is put to the left, and to the right at a time of its own
        late = 12 + np.arange(count)
        start = np.where(k < late, -0.2, 0.2)
        data.qpos[..., 0] = start if num_envs else start[0]
        data.qpos[..., 1] = 0.0
        data.qvel[...] = 0.0
        info = envs.step(np.zeros((count, 1) if num_envs else 1, np.float32))[4]
        came = np.atleast_1d(info.get("_randomized_kick", "randomized_kick" in info))
        if num_envs and "randomized_kick" not in info:
            came = np.zeros(count, bool)
        due = np.where(last < 0, k >= late, k == last + 5)
        np.testing.assert_array_equal(came, due & (k >= 5), err_msg=str(k))
        last = np.where(came, k, last)
    assert (last > 30).all()


def test_conditions_that_are_none():
    kick = Kick(of=("slider",), velocity=1.0, where=3)
    with pytest.raises(TypeError, match="'kick': where=3, expected a function of the physics"):
        make(2, {"kick": kick})
    kick = kick._replace(where=lambda data: data.qpos, every=Every(1, unit="steps"))
    envs = make(2, {"kick": kick})
    envs.reset(seed=0)
    first, second = actions_of(2, 2)
    envs.step(first)
    with pytest.raises(TypeError, match=r"where gave float64 of shape \(2, 2\), expected bool"):
        envs.step(second)


def test_kicks_change_velocities():
    kick = Kick(of=("slider",), velocity=0.25, every=Every(2, unit="steps"))
    plain, envs = make(2), make(2, {"kick": kick})
    plain.reset(seed=0)
    envs.reset(seed=0)
    for _ in range(2):
        plain.step(np.zeros((2, 1)))
        envs.step(np.zeros((2, 1)))
    plain.data.qvel[:, 0] += 0.25
    found, expected = (both.step(np.zeros((2, 1))) for both in (envs, plain))
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[4]["randomized_kick"], [[0.25]] * 2)


def test_when_fields_are_drawn():
    fields = {
        "dof_damping": Uniform(0.5, 2.0, when="start"),
        "opt_gravity": Uniform(0.5, 2.0, when=Every(3 * DT)),
        "geom_friction": Uniform(0.5, 2.0),
    }
    envs = make(2, fields)

    def values():
        return {name: envs.data.varied[name].copy() for name in fields}

    def changed():
        found = values()
        return {name for name in fields if np.any(found[name] != last[name])}

    envs.reset(seed=0)
    last = values()
    seen = []
    for _ in range(8):
        envs.step(np.zeros((2, 1)))
        seen.append(changed())
        last = values()
    assert seen == [set(), set(), set(), {"opt_gravity"}, set(), set(), {"opt_gravity"}, set()]
    envs.reset()
    assert changed() == {"opt_gravity", "geom_friction"}
    last = values()
    envs.reset(seed=5)
    assert changed() == set(fields)


def test_bits_of_random_numbers_do_not_depend_on_the_batch():
    counters = Counters(1000)
    for i in range(1000):
        counters.seed(i, i)
    alone = Counters(1000)
    alone.words[:] = counters.words
    worlds = np.arange(1000)
    for draw in ("uniform", "standard_normal"):
        for size in (1, 3, 8):
            found = getattr(Draws(counters, worlds), draw)(size=size)
            for i in (0, 1, 998, 999):
                expected = getattr(Draws(alone, np.array([i])), draw)(size=size)
                np.testing.assert_array_equal(found[i], expected[0])
            alone.words[:] = counters.words


def test_random_numbers_are_uniform_and_normal():
    counters = Counters(100)
    for i in range(100):
        counters.seed(i, i)
    rng = Draws(counters, np.arange(100))
    x, y = rng.uniform(size=2000), rng.standard_normal(2001)
    counts = np.histogram(x, 64, (0, 1))[0]
    assert np.sum((counts - x.size / 64) ** 2) / (x.size / 64) < 110  # chi-squared of 63
    np.testing.assert_allclose([y.mean(), y.var(), (y**4).mean()], [0, 1, 3], atol=0.06)
    correlation = np.corrcoef(x)
    assert np.abs(correlation - np.eye(100)).max() < 0.12
    assert set(rng.integers(2, 4)) == {2, 3, 4}


PUSH = Push(of=("pole",), force=1.0)


@pytest.mark.parametrize(
    ("randomization", "error", "message"),
    [
        ({"push": PUSH._replace(of="pole")}, TypeError, r"of='pole', expected a tuple of names"),
        ({"push": PUSH._replace(of=("pol",))}, KeyError, r"did you mean 'pole'"),
        ({"push": PUSH._replace(force=(1, 2))}, ValueError, r"force: found \(1, 2\), expected a d"),
        ({"push": PUSH._replace(every=3)}, TypeError, r"every=3, expected mjenv.Every"),
        ({"push": PUSH._replace(every=Every(2, 1))}, ValueError, r"2 to 1, expected seconds, abov"),
        ({"push": PUSH._replace(every=Every(2, 3, "step"))}, ValueError, r"did you mean 'steps'"),
        ({"push": PUSH._replace(every=Every(0.5, 3, "steps"))}, ValueError, r"whole numbers of st"),
        ({"push": PUSH._replace(duration=-1)}, ValueError, r"duration: found -1 to -1, expected"),
        ({"push": PUSH._replace(duration=(1,))}, ValueError, r"expected a number or \(low, high\)"),
        ({"kick": Kick(("slide",), 1.0)}, KeyError, r"did you mean 'slider'"),
        ({"observation": 3}, TypeError, r"'observation' is 3, expected mjenv.Channel"),
        ({"observation": Channel(noise={"vel": Normal(0, 1)})}, ValueError, r"noise of 'vel', exp"),
        ({"observation": Channel(noise=0.1)}, TypeError, r"expected mjenv.Uniform, mjenv.LogUn"),
        ({"action": Channel(noise={"x": Normal(0, 1)})}, TypeError, r"expected one distribution"),
        ({"action": Channel(noise=Normal(0, 1, of=("x",)))}, ValueError, r"expected of \['slide'"),
        ({"action": Channel(delay=(2, 1))}, ValueError, r"delay=\(2, 1\), expected a number of s"),
        ({"action": Channel(delay=0.5)}, ValueError, r"delay=0.5, expected a number of steps"),
        ({"action": Channel(history=-1)}, ValueError, r"history=-1, expected how many"),
        ({"dof_damping": Uniform(2, 1)}, ValueError, r"low=2 is above high=1; swap them"),
        ({"dof_damping": Normal(0, -1)}, ValueError, r"deviation=-1, expected at least 0"),
        ({"dof_damping": LogUniform(0, 1)}, ValueError, r"low=0, expected above 0"),
        ({"dof_damping": Uniform(1, 2, when="star")}, ValueError, r"did you mean 'start'"),
        ({"dof_damping": Uniform(1, 2, of="x")}, TypeError, r"expected a tuple of names"),
        ({"action": Channel(noise=Normal(0, 1, when="start"))}, ValueError, r"noise comes every"),
    ],
)
def test_what_is_refused(randomization, error, message):
    with pytest.raises(error, match=message):
        make(1, randomization)


def test_generators_of_users_have_streams_too():
    env = gymnasium.make(ID, randomization={"dof_damping": Uniform(1, 2)}).unwrapped
    drawn = []
    for seed in (3, 3, 4):
        env.np_random = np.random.Generator(np.random.Philox(seed))
        drawn.append(env.reset()[1]["randomized_dof_damping"][0])
    assert drawn[0] == drawn[1] != drawn[2]


def test_what_reset_refuses():
    envs = make(2, {"push": PUSH, "dof_damping": Uniform(1, 2)})
    envs.reset(options={"randomization": {"dof_damping": Uniform(3, 3)}})
    with pytest.raises(ValueError, match=r"reset: randomization: 'push', expected a field"):
        envs.reset(options={"randomization": {"push": PUSH}})
    with pytest.raises(ValueError, match=r"reset: randomization: 'shove', expected a field"):
        envs.reset(options={"randomization": {"shove": PUSH}})
    with pytest.raises(TypeError, match="expected a dict of fields"):
        envs.reset(options={"randomization": ["dof_damping"]})
