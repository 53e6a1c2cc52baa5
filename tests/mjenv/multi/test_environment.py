"""Several tasks in one vector environment: what each world does alone, bit by bit."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import mjenv
from mjenv.worlds import Worlds

TASKS = ("HalfCheetah-v5", "Walker2d-v5", "InvertedPendulum-v5")  # 17, 17, 4 numbers; 6, 6, 1
LIMIT = 12
rng = np.random.default_rng(0)
ACTIONS = rng.uniform(-1, 1, (40, 8, 6)).astype(np.float32)


def make(tasks=TASKS, num_envs=8, **kwargs):
    return mjenv.make_vec(tasks, num_envs, max_episode_steps=LIMIT, **kwargs)


def alone(i, tasks=TASKS):
    return gymnasium.make(f"mjenv/{tasks[i % len(tasks)]}", max_episode_steps=LIMIT)


@pytest.mark.parametrize("nthread", [1, 2])
def test_worlds_are_the_single_environments(nthread):
    envs, singles = make(nthread=nthread), [alone(i) for i in range(8)]
    observations, infos = envs.reset(seed=7)
    begun = [env.reset(seed=7 + i) for i, env in enumerate(singles)]
    ended = [False] * 8
    for actions in ACTIONS:
        for i, (row, info) in enumerate(begun):
            np.testing.assert_array_equal(observations[i, : len(row)], row)
            assert not observations[i, len(row) :].any()
            for name, value in info.items():
                assert infos[f"_{name}"][i], name
                assert infos[name][i] == value, name
            told = {name for name in infos if name[0] != "_" and infos[f"_{name}"][i]}
            assert told == {*info, "task"}
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        begun = []
        for i, env in enumerate(singles):
            if ended[i]:
                begun.append(env.reset())
                assert (rewards[i], terminated[i], truncated[i]) == (0, False, False)
                ended[i] = False
                continue
            row, reward, end, cut, info = env.step(actions[i, : env.action_space.shape[0]])
            assert (rewards[i], terminated[i], truncated[i]) == (reward, end, cut)
            begun.append((row, info))
            ended[i] = end or cut
    assert ended != [True] * 8  # some world has had an end of its own


def test_last_observations_come_with_the_step_that_ends_episodes():
    envs, apart = make(autoreset_mode="SameStep"), make(TASKS[1:2], 1, autoreset_mode="SameStep")
    envs.reset(seed=3)
    apart.reset(seed=4)
    for actions in ACTIONS[:LIMIT]:
        *_, terminated, truncated, infos = envs.step(actions)
        *_, end, cut, info = apart.step(actions[1:2])
    assert (truncated[0], infos["_final_obs"][0], infos["_final_info"][0]) == (True,) * 3
    assert (truncated | terminated).tolist() == infos["_final_obs"].tolist()
    assert bool((end | cut)[0]) == bool((terminated | truncated)[1])
    if end[0] or cut[0]:
        np.testing.assert_array_equal(infos["final_obs"][1], info["final_obs"][0])
    assert infos["final_obs"][0].shape == envs.single_observation_space.shape
    name = "x_position"
    assert infos["final_info"][f"_{name}"][0]
    assert infos["final_info"][name][0] != infos[name][0]


def test_masks_say_whose_numbers_are_a_tasks_own():
    envs = make(task_id="one_hot")
    assert envs.observation_masks.sum(axis=1).tolist() == [20, 20, 7]
    assert envs.action_masks.sum(axis=1).tolist() == [6, 6, 1]
    assert envs.single_action_space.low.tolist() == [-3, -1, -1, -1, -1, -1]
    observations, infos = envs.reset(seed=0)
    assert observations.shape == envs.observation_space.shape
    np.testing.assert_array_equal(observations[:, -3:], np.eye(3)[envs.owner])
    assert envs.single_observation_space.contains(observations[0])
    assert infos["task"].tolist() == [TASKS[i % 3] for i in range(8)]
    index = make(task_id="index")
    assert index.reset(seed=0)[0][:, -1].tolist() == [0, 1, 2, 0, 1, 2, 0, 1]


def test_the_task_stands_behind_last_observations_too():
    envs = make(task_id="one_hot", autoreset_mode="SameStep")
    envs.reset(seed=0)
    for actions in ACTIONS[:LIMIT]:
        infos = envs.step(actions)[-1]
    assert infos["_final_obs"][0]
    assert infos["final_obs"][0][-3:].tolist() == [1, 0, 0]


def test_actions_behind_a_tasks_own_have_no_effect():
    a, b = make(), make()
    for envs in (a, b):
        envs.reset(seed=0)
    other = ACTIONS[0].copy()
    other[envs.owner == 2, 1:] = 0.5
    for first, second in zip(a.step(ACTIONS[0])[:2], b.step(other)[:2], strict=True):
        np.testing.assert_array_equal(first, second)


def test_shares_of_worlds_and_arguments_of_a_task():
    tasks = {
        "HalfCheetah-v5": 1,
        "light": {"id": "mjenv/Walker2d-v5", "num_envs": 2, "ctrl_cost_weight": 0.5},
    }
    envs = mjenv.make_vec(tasks)
    assert envs.owner.tolist() == [0, 1, 1]
    assert envs.task_names == ("HalfCheetah-v5", "light")
    assert envs.parts["light"].task.ctrl_cost_weight == 0.5
    assert mjenv.make_vec(tasks, 7).owner.tolist() == [0, 1, 1, 0, 1, 1, 0]
    # what a task that has no world would have counts for spaces
    assert mjenv.make_vec(TASKS, 1).single_action_space == make().single_action_space


def test_rescaled_actions_reach_the_ends_of_each_range():
    envs = make(rescale_actions=True)
    assert envs.single_action_space.high.tolist() == [1] * 6
    envs.reset(seed=0)
    apart = alone(2)
    apart.reset(seed=2)
    observations = envs.step(np.ones((8, 6), np.float32))[0]
    np.testing.assert_array_equal(observations[2, :4], apart.step(np.full(1, 3.0, np.float32))[0])


def test_some_worlds_are_reset():
    envs = make(autoreset_mode="Disabled")
    before, _ = envs.reset(seed=0)
    after = envs.step(ACTIONS[0])[0]
    mask = np.arange(8) == 1
    observations, infos = envs.reset(seed=0, options={"reset_mask": mask})
    np.testing.assert_array_equal(observations[1], before[1])
    np.testing.assert_array_equal(observations[~mask], after[~mask])
    assert infos["_task"].tolist() == mask.tolist()


def test_ended_episodes_are_refused_before_any_world_moves():
    envs = make(autoreset_mode="Disabled")
    envs.reset(seed=0)
    for actions in ACTIONS[:LIMIT]:
        seen, _, terminated, truncated, _ = envs.step(actions)
        if (terminated | truncated).any():
            break
    ended = np.flatnonzero(terminated | truncated).tolist()
    with pytest.raises(ResetNeeded, match=f"of {len(ended)} worlds have ended .{ended[0]}"):
        envs.step(ACTIONS[0])
    np.testing.assert_array_equal(envs.restore_state(envs.save_state()), seen)
    envs.reset(options={"reset_mask": terminated | truncated})
    envs.step(ACTIONS[0])


def test_results_task_by_task():
    envs = make(autoreset_mode="SameStep", episode_statistics=True)
    envs.reset(seed=0)
    sums, lengths, found = np.zeros(8), np.zeros(8), {name: [] for name in TASKS}
    for actions in ACTIONS:
        _, rewards, terminated, truncated, infos = envs.step(actions)
        sums, lengths = sums + rewards, lengths + 1
        for i in np.flatnonzero(terminated | truncated):
            assert infos["_episode"][i]
            assert infos["episode"]["l"][i] == lengths[i]
            assert infos["episode"]["r"][i] == sums[i]
            found[TASKS[i % 3]].append((sums[i], lengths[i]))
            sums[i] = lengths[i] = 0
    for name, rows in found.items():
        mean, length = np.mean(rows, axis=0)
        assert envs.statistics[name] == pytest.approx(
            {"episodes": len(rows), "return": mean, "length": length}
        )
    assert envs.reward_terms == ("reward_forward", "reward_ctrl", "reward_survive")
    assert envs.has_term("reward_forward").tolist() == [i % 3 < 2 for i in range(8)]
    assert envs.has_term("reward_survive").tolist() == [i % 3 > 0 for i in range(8)]


def test_steps_that_start_episodes_are_not_counted():
    envs = make(TASKS[:1], 1)
    envs.reset(seed=0)
    for _ in range(2 * LIMIT + 2):
        envs.step(ACTIONS[0, :1])
    assert envs.statistics["HalfCheetah-v5"]["length"] == LIMIT
    assert envs.statistics["HalfCheetah-v5"]["episodes"] == 2


def test_worlds_go_on_from_saved_states():
    envs = make(task_id="index")
    envs.reset(seed=0)
    for actions in ACTIONS[:3]:
        seen = envs.step(actions)[0]
    rows = envs.save_state()
    assert not any(one["episodes"] for one in envs.statistics.values())
    following = [envs.step(actions) for actions in ACTIONS[3:20]]
    fresh = make(task_id="index")
    np.testing.assert_array_equal(fresh.restore_state(rows), seen)
    for actions, expected in zip(ACTIONS[3:20], following, strict=True):
        for got, known in zip(fresh.step(actions)[:4], expected[:4], strict=True):
            np.testing.assert_array_equal(got, known)
    assert fresh.statistics == envs.statistics
    # two of them, the other way round
    np.testing.assert_array_equal(envs.restore_state(rows[[4, 2]], [4, 2]), seen[[4, 2]])
    with pytest.raises(ValueError, match=r"found rows of uint8 and shape \(8, 3\), expected"):
        envs.restore_state(rows[:, :3])


def test_copies_go_on_alone():
    envs = make()
    envs.reset(seed=0)
    twin = copy.deepcopy(envs)
    a = envs.step(ACTIONS[0])[0]
    np.testing.assert_array_equal(twin.step(ACTIONS[0])[0], a)


def test_pictures_of_all_worlds():
    envs = mjenv.make_vec(TASKS, 4, render_mode="rgb_array", width=32, height=24)
    envs.reset(seed=0)
    pictures = envs.render()
    assert [picture.shape for picture in pictures] == [(24, 32, 3)] * 4
    one = gymnasium.make("mjenv/Walker2d-v5", render_mode="rgb_array", width=32, height=24)
    one.reset(seed=1)
    np.testing.assert_array_equal(pictures[1], one.render())


def test_observations_that_are_pictures():
    pixels = {"height": 8, "width": 8}
    envs = mjenv.make_vec(TASKS[:2], 3, pixels=pixels)
    observations, _ = envs.reset(seed=0)
    assert (observations.shape, observations.dtype) == ((3, 8, 8, 3), np.uint8)
    with pytest.raises(ValueError, match="task_id: found observations of shape"):
        mjenv.make_vec(TASKS[:2], 3, pixels=pixels, task_id="index")


def test_dicts_are_padded_part_by_part():
    pixels = {"height": 8, "width": 8, "state": True}
    envs = mjenv.make_vec(TASKS[1:], 2, pixels=pixels, task_id="one_hot")
    observations, _ = envs.reset(seed=0)
    assert observations["pixels"].shape == (2, 8, 8, 3)
    assert observations["state"].shape == (2, 17)
    assert not observations["state"][1, 4:].any()
    assert observations["task"].tolist() == [[1, 0], [0, 1]]
    assert envs.observation_space.contains(observations)


def test_last_observations_in_dicts():
    pixels = {"height": 8, "width": 8, "state": True}
    envs = make(TASKS[1:], 2, pixels=pixels, task_id="one_hot", autoreset_mode="SameStep")
    envs.reset(seed=0)
    for _ in range(LIMIT):
        *_, terminated, truncated, infos = envs.step(np.ones((2, 6), np.float32))
        for i in np.flatnonzero(terminated | truncated):
            last = infos["final_obs"][i]
            assert envs.single_observation_space.contains(last)
            assert last["task"].tolist() == [i == 0, i == 1]
    assert truncated[0]


def test_learners_get_worlds_of_several_tasks():
    worlds = Worlds("Multi-v0", 6, tasks=TASKS, task_id="one_hot", max_episode_steps=LIMIT)
    assert worlds.reset(0).dtype == np.float32
    for _ in range(LIMIT):
        found = worlds.step(np.full((6, 6), 5.0))
    last = worlds.last(found)
    assert found.truncated[0]
    np.testing.assert_array_equal(last[0], found.info["final_obs"][0])
    with pytest.raises(ValueError, match="found MultiVectorEnv, expected an environment of one"):
        _ = worlds.task


def test_gymnasium_makes_it_too():
    envs = gymnasium.make_vec("mjenv/Multi-v0", num_envs=4, tasks=list(TASKS))
    assert isinstance(envs.unwrapped, mjenv.MultiVectorEnv)
    assert envs.unwrapped.owner.tolist() == [0, 1, 2, 0]
    assert mjenv.make_vec("HalfCheetah-v5", 3).num_envs == 3
    assert envs.unwrapped.place(3)[1] == 1


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([], "found none, expected at least one"),
        (["HalfCheetah-v5"] * 2, "found 'HalfCheetah-v5' 2 times, expected each once"),
        (["HalfCheeta-v5"], "no such environment; did you mean 'HalfCheetah-v5'"),
        ({"HalfCheetah-v5": 0}, r"tasks\['HalfCheetah-v5'\]=0, expected a positive integer"),
        (["HalfCheetah-v5", "TwoAnts-v0"], "observations have parts"),
        ({"HalfCheetah-v5": {"nonsense": 1}}, "mjenv/HalfCheetah-v5: .*nonsense"),
    ],
)
def test_tasks_that_cannot_be(tasks, message):
    with pytest.raises(ValueError, match=message):
        mjenv.make_vec(tasks, 2)


def test_calls_that_are_refused():
    with pytest.raises(TypeError, match="tasks=3, expected names of environments"):
        mjenv.MultiVectorEnv(3)
    with pytest.raises(TypeError, match="tasks: found 1, expected the name of a task"):
        mjenv.MultiVectorEnv([1])
    with pytest.raises(ValueError, match="task_id='both', expected 'one_hot', 'index' or None"):
        mjenv.MultiVectorEnv(TASKS, task_id="both")
    envs = make()
    with pytest.raises(ResetNeeded, match="call reset"):
        envs.step(ACTIONS[0])
    with pytest.raises(TypeError, match="seed='a', expected an integer"):
        envs.reset(seed="a")
    with pytest.raises(ValueError, match="2 seeds, expected one for each of 8"):
        envs.reset(seed=[1, 2])
    envs.reset(seed=[1, None, *range(6)])
    with pytest.raises(ValueError, match=r"shape \(8, 5\), expected \(8, 6\)"):
        envs.step(ACTIONS[0][:, :5])
    bad = ACTIONS[0].copy()
    bad[2, 1:] = np.nan  # behind the only action of that task
    envs.step(bad)
    bad[4, 0] = np.inf
    with pytest.raises(ValueError, match=r"action of world 4 \(Walker2d-v5\) is .* finite numbers"):
        envs.step(bad)
    twin = make()
    twin.reset(seed=[1, None, *range(6)])
    twin.step(ACTIONS[0])
    # no world has moved; world 1 has no seed
    known = np.arange(8) != 1
    for _ in range(2):
        seen, expected = (one.step(ACTIONS[1])[0] for one in (envs, twin))
        np.testing.assert_array_equal(seen[known], expected[known])
    envs.close()
    with pytest.raises(ClosedEnvironmentError, match="expected open ones"):
        envs.step(ACTIONS[0])
