"""Stable-Baselines3's view of a vector environment, on a small environment written in Python."""

import csv
import json
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

pytest.importorskip("stable_baselines3")

from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    VecFrameStack,
    VecMonitor,
    VecNormalize,
    VecVideoRecorder,
)

import mjenv
from mjenv.sb3 import NativeVecEnv, RewardTerms
from mjenv.training.evaluate import play
from mjenv.training.runs.progress import EpisodeTable
from mjenv.training.tasks.episodes import Episodes


class Counter(gymnasium.Env):
    """Counts steps; the world that was seeded with s terminates after `lengths[s]` of them."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
    lengths = (3, 5, 100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.number = seed
        self.count = 0
        return self.observe(), {}

    def step(self, action):
        self.count += 1
        ended = self.count == self.lengths[self.number]
        return self.observe(), float(action[0]), ended, False, {}

    def observe(self):
        return np.array([self.number, self.count], float)


def limited(limit=4):
    return gymnasium.wrappers.TimeLimit(Counter(), limit)


@pytest.fixture
def vec_env():
    envs = NativeVecEnv(SyncVectorEnv([limited] * 3, autoreset_mode=AutoresetMode.SAME_STEP))
    envs.seed(0)
    yield envs
    envs.close()


def test_reset_seeds_world_by_world(vec_env):
    observations = vec_env.reset()
    assert observations.dtype == np.float32
    np.testing.assert_array_equal(observations, [[0, 0], [1, 0], [2, 0]])


def test_episode_ends(vec_env):
    """Termination, truncation, last observation and return arrive in the info of the world."""
    vec_env.reset()
    actions = np.full((3, 1), 0.5, np.float32)
    for _ in range(2):
        _, _, done, infos = vec_env.step(actions)
        assert not done.any()
        assert infos == [{"TimeLimit.truncated": False}] * 3
    observations, rewards, done, infos = vec_env.step(actions)
    np.testing.assert_array_equal(done, [True, False, False])
    np.testing.assert_array_equal(observations, [[0, 0], [1, 3], [2, 3]])
    np.testing.assert_array_equal(rewards, [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(infos[0]["terminal_observation"], [0, 3])
    assert infos[0]["TimeLimit.truncated"] is False
    assert infos[0]["episode"]["r"] == 1.5
    assert infos[0]["episode"]["l"] == 3
    assert "episode" not in infos[1]

    _, _, done, later = vec_env.step(actions)
    np.testing.assert_array_equal(done, [False, True, True])
    assert later[1]["TimeLimit.truncated"] is True
    np.testing.assert_array_equal(later[2]["terminal_observation"], [2, 4])
    assert infos[0]["episode"]["r"] == 1.5  # infos of earlier steps stay as they were
    assert "episode" not in later[0]


def test_returns_start_again_after_an_episode(vec_env):
    vec_env.reset()
    actions = np.ones((3, 1), np.float32)
    ends = []
    for _ in range(8):
        _, _, _, infos = vec_env.step(actions)
        ends += [(i, info["episode"]["r"]) for i, info in enumerate(infos) if "episode" in info]
    assert ends == [(0, 3.0), (1, 4.0), (2, 4.0), (0, 3.0), (1, 4.0), (2, 4.0)]


@pytest.mark.parametrize("running_infos", [True, False])
def test_worlds_have_infos_of_their_own(running_infos):
    """Callbacks and wrappers may write into them."""
    envs = SyncVectorEnv([limited] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    envs = NativeVecEnv(envs, running_infos=running_infos)
    envs.seed(0)
    envs.reset()
    actions = np.zeros((3, 1), np.float32)
    first, second = envs.step(actions)[3], envs.step(actions)[3]
    first[0]["key"] = 1
    nothing = {"TimeLimit.truncated": False} if running_infos else {}
    assert first == [{**nothing, "key": 1}, nothing, nothing]
    assert second == [nothing] * 3


def test_results_are_new_arrays(vec_env):
    """Stable-Baselines3 keeps observations and adds to rewards."""
    vec_env.reset()
    actions = np.zeros((3, 1), np.float32)
    observations, rewards, _, _ = vec_env.step(actions)
    kept = observations.copy()
    rewards += 1
    _, later, _, _ = vec_env.step(actions)
    np.testing.assert_array_equal(observations, kept)
    np.testing.assert_array_equal(later, 0)


def test_refuses_another_autoreset():
    envs = SyncVectorEnv([limited], autoreset_mode=AutoresetMode.NEXT_STEP)
    with pytest.raises(ValueError, match=r"expected AutoresetMode\.SAME_STEP; pass autoreset_mode"):
        NativeVecEnv(envs)


def test_refuses_discrete_actions():
    envs = SyncVectorEnv(
        [lambda: gymnasium.make("CartPole-v1")], autoreset_mode=AutoresetMode.SAME_STEP
    )
    with pytest.raises(ValueError, match="expected boxes"):
        NativeVecEnv(envs)


def test_single_worlds_cannot_be_changed(vec_env):
    with pytest.raises(AttributeError, match=r"set it in `\.envs`"):
        vec_env.set_attr("gravity", 1.0)
    with pytest.raises(AttributeError, match=r"call the method of `\.envs`"):
        vec_env.env_method("reset")
    assert vec_env.get_attr("num_envs", [0, 2]) == [3, 3]
    assert vec_env.env_is_wrapped(Monitor) == [True] * 3
    assert vec_env.env_is_wrapped(gymnasium.wrappers.RescaleAction) == [False] * 3


@pytest.fixture
def hoppers():
    options = {"max_episode_steps": 5, "render_mode": "rgb_array", "width": 64, "height": 48}
    envs = NativeVecEnv("Hopper-v5", 3, **options)
    envs.seed(0)
    yield envs
    envs.close()


def dummy(n=3, **options):
    """What Stable-Baselines3 makes of single environments."""
    options = {"max_episode_steps": 5, "render_mode": "rgb_array", **options}
    envs = make_vec_env("mjenv/Hopper-v5", n, seed=0, env_kwargs=options)
    envs.seed(0)
    return envs


def without(info, *names):
    return {name: value for name, value in info.items() if name not in names}


def same(one, two):
    """Whether two infos have the same names, types and values."""
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert type(value) is type(two[name]), name
        np.testing.assert_array_equal(value, two[name])


def test_infos_are_those_of_single_environments(hoppers):
    """In each step, after resets, and at the ends of episodes."""
    others = dummy()
    np.testing.assert_array_equal(hoppers.reset(), others.reset().astype(np.float32))
    for one, two in zip(hoppers.reset_infos, others.reset_infos, strict=True):
        same(one, two)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(7):
        actions = rng.uniform(-1, 1, (3, 3)).astype(np.float32)
        mine, theirs = hoppers.step(actions), others.step(actions)
        np.testing.assert_array_equal(mine[2], theirs[2])
        for i in range(3):
            own = ("terminal_observation", "episode")
            same(without(mine[3][i], *own), without(theirs[3][i], *own))
            same(hoppers.reset_infos[i], others.reset_infos[i])
            if mine[2][i]:
                ended += 1
                episode = mine[3][i]["episode"]
                assert episode["l"] == theirs[3][i]["episode"]["l"]
                assert episode["r"] == pytest.approx(theirs[3][i]["episode"]["r"], abs=1e-6)
                assert sum(episode["terms"].values()) == pytest.approx(episode["r"])
                assert {"reward_forward", "reward_ctrl"} <= set(episode["terms"])
    assert ended == 3


class Balance(mjenv.Task):
    xml_file = "inverted_pendulum.xml"
    frame_skip = 2

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        up = np.cos(data.qpos[..., 1])
        return mjenv.Outcome({"up": up, "cost": -0.1 * up}, info={"is_success": up > 0})


mjenv.register("BalanceOfVecEnv-v0", Balance, max_episode_steps=8)


@pytest.mark.slow
def test_success_and_terms_are_logged(tmp_path):
    envs = NativeVecEnv("BalanceOfVecEnv-v0", 4)
    model = PPO("MlpPolicy", envs, n_steps=16, batch_size=64, device="cpu")
    model.set_logger(configure(str(tmp_path), ["json"]))
    model.learn(64, callback=RewardTerms())
    (row,) = [json.loads(line) for line in (tmp_path / "progress.json").read_text().splitlines()]
    assert row["rollout/success_rate"] == 1.0
    assert 7 < row["rollout/up"] < 8
    assert row["rollout/up"] + row["rollout/cost"] == pytest.approx(row["rollout/ep_rew_mean"])


@pytest.mark.slow
def test_table_of_episodes(tmp_path):
    """A row for each episode; a training that goes on keeps those up to its steps."""
    path = tmp_path / "episodes.csv"

    def learn(steps):
        model = PPO("MlpPolicy", NativeVecEnv("BalanceOfVecEnv-v0", 4), n_steps=16, device="cpu")
        model.learn(64, callback=EpisodeTable(path, steps))
        with path.open(newline="") as file:
            return list(csv.DictReader(file))

    rows = learn(0)
    assert [*rows[0]] == ["steps", "return", "length", "up", "cost"]
    assert [int(row["steps"]) for row in rows] == [32] * 4 + [64] * 4
    for row in rows:
        assert row["length"] == "8"
        total = float(row["up"]) + float(row["cost"])
        assert total == pytest.approx(float(row["return"]), rel=1e-5)
    assert len(learn(0)) == 8
    assert len(learn(32)) == 4 + 8


def test_terms_of_whole_episodes():
    episodes = play("BalanceOfVecEnv-v0", lambda x: np.zeros((len(x), 1), np.float32), 3)
    total = sum(episodes.terms.values())
    np.testing.assert_allclose(total, episodes.returns, rtol=1e-6)
    head, up, cost = episodes.table()
    assert head.split() == ["term", "episode", "step"]
    mean = episodes.terms["up"].mean()
    assert up.split() == ["up", f"{mean:.1f}", f"{mean / 8:.4f}"]
    assert cost.split()[0] == "cost"
    assert Episodes(np.ones(2), np.ones(2)).table() == []


def test_terms_of_tasks_with_state():
    envs = NativeVecEnv("QuadrupedJoystick-v0", 2)
    assert envs.get_attr("reward_terms")[0] == tuple(envs.get_attr("task")[0].weights)


def test_options_of_resets():
    envs = NativeVecEnv("BalanceOfVecEnv-v0", 2, observation_dtype=np.float64)
    drawn = {"randomization": {"body_mass": mjenv.Uniform(2.0, 3.0)}}
    envs.set_options(drawn)
    envs.reset()
    assert all((info["randomized_body_mass"] >= 2.0).any() for info in envs.reset_infos)
    assert not np.array_equal(*[info["randomized_body_mass"] for info in envs.reset_infos])
    envs.set_options([drawn, {}])
    with pytest.raises(ValueError, match="set_options: options differ between worlds"):
        envs.reset()
    envs.reset()


def test_attributes_are_those_of_single_environments(hoppers):
    """All public ones, and those that Gymnasium's environments have."""
    hoppers.reset()
    size = {"width": 64, "height": 48}
    single = gymnasium.make("mjenv/Hopper-v5", render_mode="rgb_array", **size).unwrapped
    missing = {"max_geom", "visual_options"}  # which draw nothing
    own = {"np_random_seed"}
    for name in set(dir(single)) | {"_forward_reward_weight", "is_healthy"}:
        private = name.startswith("_") and name != "_forward_reward_weight"
        if private or callable(getattr(type(single), name, None)) or name in missing:
            continue
        value = getattr(single, name)
        found = hoppers.get_attr(name)
        assert len(found) == 3
        if isinstance(value, int | float | str | tuple) and name not in own:
            assert found == [value] * 3, name
    assert hoppers.get_attr("data", 2)[0].qpos.tolist() == hoppers.envs.data.qpos[2].tolist()
    assert hoppers.get_attr("np_random_seed") == [0, 1, 2]
    assert hoppers.get_attr("metadata")[0]["render_fps"] == 125
    assert hoppers.get_attr("action_space", [0]) == [hoppers.action_space]
    assert not hoppers.has_attr("action_masks")
    with pytest.raises(AttributeError, match="no attribute 'frame_skp'; did you mean 'frame_skip'"):
        hoppers.get_attr("frame_skp")
    hoppers.set_attr("_ctrl_cost_weight", 0.25)
    assert hoppers.get_attr("ctrl_cost_weight") == [0.25] * 3
    with pytest.raises(AttributeError, match=r"'num_envs' is not set in .* set it in `\.envs`"):
        hoppers.set_attr("num_envs", 1)
    with pytest.raises(AttributeError, match=r"'ctrl_cost_weigth', .*; did you mean 'ctrl_cost_w"):
        hoppers.set_attr("ctrl_cost_weigth", 1)


def test_methods_of_single_environments(hoppers):
    hoppers.reset()
    vectors = hoppers.env_method("state_vector")
    assert [vector.shape for vector in vectors] == [(12,)] * 3
    np.testing.assert_array_equal(
        hoppers.env_method("get_body_com", "torso", indices=[1])[0], hoppers.envs.data.xpos[1, 1]
    )
    assert hoppers.env_method("get_wrapper_attr", "frame_skip", indices=0) == [4]
    (picture,) = hoppers.env_method("render", indices=2)
    assert picture.shape == (48, 64, 3)
    hoppers.step(np.zeros((3, 3)))
    ((observation, info),) = hoppers.env_method("reset", seed=7, indices=1)
    single = gymnasium.make("mjenv/Hopper-v5")
    expected, expected_info = single.reset(seed=7)
    np.testing.assert_array_equal(observation, expected)
    same(info, expected_info)
    ends = [hoppers.step(np.zeros((3, 3)))[2].tolist() for _ in range(5)]
    assert ends[3] == [True, False, True]
    assert ends[4] == [False, True, False]


def test_parameters_and_states(hoppers):
    hoppers.reset()
    hoppers.set_attr("ctrl_cost_weight", 0.5)
    assert hoppers.envs.task.ctrl_cost_weight == 0.5
    with pytest.raises(ValueError, match="for worlds 1, expected all; worlds share the parameters"):
        hoppers.set_attr("ctrl_cost_weight", 0.5, indices=1)
    rows = hoppers.env_method("save_state", indices=[2, 0])
    expected = hoppers.step(np.zeros((3, 3)))[0]
    hoppers.env_method("restore_state", np.array(rows), indices=[2, 0])
    found = hoppers.step(np.zeros((3, 3)))[0]
    np.testing.assert_array_equal(found[[0, 2]], expected[[0, 2]])


@pytest.mark.parametrize("pickler", ["pickle", "cloudpickle"])
def test_copies_go_on_alike(hoppers, pickler):
    module = pytest.importorskip(pickler)
    hoppers.reset()
    hoppers.step(np.zeros((3, 3)))
    other = pickle.loads(module.dumps(hoppers))
    for _ in range(5):
        one, two = hoppers.step(np.ones((3, 3))), other.step(np.ones((3, 3)))
        for a, b in zip(one[:3], two[:3], strict=True):
            np.testing.assert_array_equal(a, b)
    assert one[3][0].keys() == two[3][0].keys()


def test_wrappers_of_stable_baselines(hoppers, tmp_path):
    """Normalized, stacked and monitored episodes, and a film of three worlds at their speed."""
    film = VecVideoRecorder(hoppers, str(tmp_path), lambda step: step == 0, video_length=4)
    assert film.frames_per_sec == 125
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitor = VecMonitor(film, str(tmp_path / "monitor.csv"))
    envs = VecFrameStack(VecNormalize(monitor), 2)
    assert envs.reset().shape == (3, 22)
    for _ in range(5):
        observations, _, done, infos = envs.step(np.zeros((3, 3)))
    assert done.all()
    assert np.abs(observations).max() <= 10.0
    assert all(info["episode"]["l"] == 5 for info in infos)
    assert all(info["TimeLimit.truncated"] for info in infos)
    assert infos[0]["terminal_observation"].shape == (22,)
    assert len(list(tmp_path.glob("*.mp4"))) == 1
    assert hoppers.render().shape[2] == 3


@pytest.mark.slow
def test_evaluation_of_stable_baselines(tmp_path, recwarn):
    envs = NativeVecEnv("BalanceOfVecEnv-v0", 4)
    other = NativeVecEnv("BalanceOfVecEnv-v0", 2)
    model = PPO("MlpPolicy", envs, n_steps=8, batch_size=32, device="cpu")
    model.learn(64, callback=EvalCallback(other, n_eval_episodes=4, eval_freq=8, verbose=0))
    returns, lengths = evaluate_policy(model, other, 4, return_episode_rewards=True)
    assert lengths == [8] * 4
    assert not [w for w in recwarn if "Monitor" in str(w.message)]
    assert all(0 < r <= 7.2 for r in returns)


def test_make_vec_env_of_stable_baselines(tmp_path):
    envs = make_vec_env(
        "mjenv/Hopper-v5",
        n_envs=3,
        seed=5,
        vec_env_cls=NativeVecEnv,
        env_kwargs={"ctrl_cost_weight": 0.5, "max_episode_steps": 7},
    )
    others = make_vec_env(
        "mjenv/Hopper-v5", 3, 5, env_kwargs={"ctrl_cost_weight": 0.5, "max_episode_steps": 7}
    )
    assert envs.get_attr("ctrl_cost_weight") == [0.5] * 3
    assert envs.get_attr("_max_episode_steps") == others.get_attr("_max_episode_steps")
    assert envs.render_mode == "rgb_array"
    np.testing.assert_array_equal(envs.reset(), others.reset().astype(np.float32))
    with pytest.raises(ValueError, match="RescaleAction wraps single environments"):
        make_vec_env(
            "mjenv/Hopper-v5",
            vec_env_cls=NativeVecEnv,
            wrapper_class=gymnasium.wrappers.RescaleAction,
            wrapper_kwargs={"min_action": -1, "max_action": 1},
        )
    with pytest.raises(ValueError, match="Monitor wraps single environments"):
        make_vec_env("mjenv/Hopper-v5", monitor_dir=str(tmp_path), vec_env_cls=NativeVecEnv)
    with pytest.raises(TypeError, match="expected an environment of mjenv"):
        make_vec_env("CartPole-v1", vec_env_cls=NativeVecEnv)
    with pytest.raises(ValueError, match="the functions are not the same"):
        NativeVecEnv([lambda: gymnasium.make("mjenv/Hopper-v5"), lambda: None])


def test_what_is_no_vector_environment():
    with pytest.raises(ValueError, match="did you mean 'Hopper-v5'"):
        NativeVecEnv("Hoper-v5")
    with pytest.raises(TypeError, match=r"found .*, expected a vector environment"):
        NativeVecEnv(gymnasium.make("mjenv/Hopper-v5"))
    with pytest.raises(TypeError, match="num_envs given beside environments that are made"):
        NativeVecEnv(gymnasium.make_vec("mjenv/Hopper-v5", 2, autoreset_mode="SameStep"), 2)
    with pytest.raises(TypeError, match=r"found .*, expected functions"):
        NativeVecEnv(["mjenv/Hopper-v5"])


# pictures


@pytest.mark.slow
def test_pictures_stay_bytes_and_dicts_stay_dicts():
    picture = {"height": 40, "width": 40}
    envs = NativeVecEnv("InvertedPendulum-v5", 2, pixels=picture)
    assert envs.observation_space == gymnasium.spaces.Box(0, 255, (40, 40, 3), np.uint8)
    assert envs.reset().dtype == np.uint8
    while True:
        seen, _, done, infos = envs.step(np.full((2, 1), 3.0, np.float32))
        if done.any():
            break
    world = int(done.argmax())
    last = infos[world]["terminal_observation"]
    assert last.dtype == np.uint8
    assert (last != seen[world]).any()
    both = NativeVecEnv("InvertedPendulum-v5", 2, pixels={**picture, "state": True})
    seen = both.reset()
    assert {name: array.dtype for name, array in seen.items()} == {
        "pixels": np.uint8, "state": np.float32,
    }  # fmt: skip
    model = PPO("MultiInputPolicy", both, n_steps=4, batch_size=8, n_epochs=1, device="cpu")
    model.learn(8)


def test_some_worlds_step_and_the_others_stay():
    """Counts and infos of worlds that are stepped apart are those of worlds stepped together."""
    envs, apart = (NativeVecEnv("Hopper-v5", 5, running_infos=False) for _ in range(2))
    for one in (envs, apart):
        one.seed(2)
    first, again = envs.reset(), apart.reset()
    np.testing.assert_array_equal(first, again)
    random, order = np.random.default_rng(0), np.array([3, 0, 4])
    told = 0
    for _ in range(60):
        actions = random.uniform(-1.0, 1.0, (5, 3)).astype(np.float32)
        whole = envs.advance(actions)
        some = apart.advance_some(actions[order], order)
        for a, b in zip(whole[:4], some[:4], strict=True):
            np.testing.assert_array_equal(a[order], b)
        if (whole[2] | whole[3]).any():
            expected = envs.last_infos(whole[4], whole[2], whole[3])
        if (some[2] | some[3]).any():
            found = apart.last_infos(some[4], some[2], some[3], order)
            assert len(found) == 3
            for place, world in enumerate(order.tolist()):
                if not found[place]:
                    continue
                told += 1
                pair = found[place], expected[world]
                times = [one["episode"].pop("t") for one in pair]
                assert min(times) >= 0.0
                np.testing.assert_array_equal(*[one.pop("terminal_observation") for one in pair])
                assert pair[0] == pair[1]
    assert told > 3
    stayed = apart.state()["counts"]
    assert not stayed["returns"][[1, 2]].any()
    assert not stayed["lengths"][[1, 2]].any()
    for one in (envs, apart):
        one.close()
