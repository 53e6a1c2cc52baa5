"""Off-policy learners: a gradient step is that of Stable-Baselines3, and what is remembered."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("torch")

import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import NStepReplayBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.torch_layers import CombinedExtractor
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from mjenv.training.agent import ALGORITHMS, Agent
from mjenv.training.hyperparameters import OFF_POLICY, hyperparameters
from mjenv.training.learners.off_policy import WideSAC
from mjenv.training.learners.replay import Replay
from mjenv.training.runs.network import Network
from mjenv.training.train import make_agent
from mjenv.training.worlds.vec_env import NativeVecEnv

ENV = "InvertedPendulum-v5"
NAMES = ("SAC", "TQC", "TD3")

pytestmark = pytest.mark.usefixtures("one_thread")


def learner(name, **options):
    given = {"learning_starts": 8, "batch_size": 16, "buffer_size": 400, "seed": 3, **options}
    given["policy_kwargs"] = {"net_arch": [16, 16], **given.get("policy_kwargs", {})}
    given["device"] = "cpu"
    envs = NativeVecEnv(ENV, 4, running_infos=False, observation_dtype=np.float32)
    model: Any = ALGORITHMS[name]("MlpPolicy", envs, **given)
    model.set_logger(Logger(None, []))
    return model


def batch():
    random = np.random.default_rng(1)
    numbers = [random.normal(size=(16, n)) for n in (4, 1, 1, 1, 4)]
    numbers[1], numbers[3] = np.tanh(numbers[1]), np.heaviside(numbers[3], 0.0)
    return [torch.tensor(x, dtype=torch.float32) for x in numbers]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        *[(name, {}) for name in NAMES],
        *[(name, {"policy_kwargs": {"activation_fn": torch.nn.ELU}}) for name in NAMES],
        ("SAC", {"ent_coef": 0.3}),
        ("TQC", {"policy_kwargs": {"net_arch": []}}),
        ("TD3", {"policy_kwargs": {"net_arch": {"pi": [8], "qf": [8, 16, 8]}}}),
    ],
)
def test_gradient_steps_are_stable_baselines3s(name, options):
    ours, theirs = learner(name, **options), learner("SB3-" + name, **options)
    theirs.policy.load_state_dict(ours.policy.state_dict())
    observations, actions, rewards, goes_on, following = batch()
    samples = ReplayBufferSamples(observations, actions, following, 1.0 - goes_on, rewards)
    discounted = [observations, actions, rewards, ours.gamma * goes_on, following]
    ours.replay_buffer.draw = lambda *_: [one.clone() for one in discounted]
    theirs.replay_buffer.sample = lambda *a, **k: samples
    before = {n: p.clone() for n, p in ours.policy.named_parameters()}
    for model in (ours, theirs):
        torch.manual_seed(5)
        model.train(2, 16)
    after = dict(ours.policy.named_parameters())
    for parameter, value in theirs.policy.named_parameters():
        torch.testing.assert_close(after[parameter], value, rtol=0, atol=2e-6)
        assert not torch.equal(before[parameter], value)
    assert ours._n_updates == theirs._n_updates == 2
    for what in ("actor_loss", "critic_loss"):
        said, expected = (m.logger.name_to_value[f"train/{what}"] for m in (ours, theirs))
        assert said == pytest.approx(float(expected), rel=1e-4, abs=1e-6)
    if name != "TD3" and "ent_coef" not in options:
        torch.testing.assert_close(ours.log_ent_coef, theirs.log_ent_coef, rtol=0, atol=1e-6)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", NAMES)
def test_learning_is_a_function_of_the_seed(name):
    def parameters():
        model = learner(name, gradient_steps=4)
        model.learn(80)
        return torch.cat([p.detach().flatten() for p in model.policy.parameters()])

    assert torch.equal(parameters(), parameters())


def test_what_is_remembered():
    """Rows are what the worlds did; ends count, but not where an episode is only cut off."""
    box = spaces.Box(-1, 1, (2,), np.float32), spaces.Box(-1, 1, (1,), np.float32)
    replay = Replay(6, *box, n_envs=2)
    for k in range(4):
        done = np.array([k == 1, k == 2])
        infos = [{}, {"TimeLimit.truncated": True} if k == 2 else {}]
        obs, action = np.full((2, 2), 10.0 * k), np.array([[k], [-k]])
        following = obs + 7
        obs[1] += 1
        replay.add(obs, following, action, np.array([k, k + 0.5]), done, infos)
    assert (replay.size(), replay.full, replay.pos) == (3, True, 1)
    expected = {
        (30, 30, 3, 3, 1, 37, 37), (31, 31, -3, 3.5, 1, 37, 37),  # in place of the first
        (10, 10, 1, 1, 0, 17, 17), (11, 11, -1, 1.5, 1, 17, 17),
        (20, 20, 2, 2, 1, 27, 27), (21, 21, -2, 2.5, 1, 27, 27),
    }  # fmt: skip
    drawn = torch.cat(replay.draw(500), dim=1)
    assert {tuple(row) for row in drawn.tolist()} == expected
    samples = replay.sample(200)
    ended = {tuple(row) for row in samples.observations[samples.dones[:, 0] == 1].tolist()}
    assert ended == {(10, 10)}


def test_a_file_has_what_is_remembered(tmp_path):
    """Also where more has come between two times than there is room for, or the file has gone."""
    box = spaces.Box(-1, 1, (2,), np.float32), spaces.Box(-1, 1, (1,), np.float32)
    replay, path = Replay(6, *box, n_envs=2), tmp_path / "replay.bin"
    random = np.random.default_rng(0)
    for count, there in ((2, True), (0, True), (2, True), (7, True), (1, False), (4, True)):
        for _ in range(count):
            parts = [random.normal(size=(2, n)) for n in (2, 2, 1)]
            replay.add(*parts, random.normal(size=2), np.zeros(2), [{}, {}])
        if not there:
            path.unlink()
        replay.write(path)
        again = Replay(6, *box, n_envs=2)
        again.read(path, replay.taken)
        assert torch.equal(again.rows, replay.rows)
        assert (again.pos, again.full, again.taken) == (replay.pos, replay.full, replay.taken)
    assert replay.taken == 16


@pytest.mark.parametrize("nstep", [2, 9, 40])
@pytest.mark.parametrize("n_steps", [2, 5])
def test_transitions_of_several_steps_are_stable_baselines3s(n_steps, nstep):
    """Also across the end of the ring, of episodes that end or are cut off, and of what goes on."""
    box = spaces.Box(-1, 1, (2,), np.float32), spaces.Box(-1, 1, (1,), np.float32)
    ours = Replay(24, *box, n_envs=2)
    theirs = NStepReplayBuffer(24, *box, "cpu", 2, n_steps=n_steps, gamma=0.9)
    env: Any = VecNormalize(NativeVecEnv(ENV, 2), gamma=0.9, clip_reward=0.5)
    env.obs_rms = RunningMeanStd(shape=(2,))
    env.obs_rms.mean, env.obs_rms.var, env.ret_rms.var = np.full(2, 0.3), np.full(2, 4.0), 9.0
    random = np.random.default_rng(0)
    for k in range(nstep):
        done = np.array([k % 5 == 4, k % 7 == 3])
        infos = [{"TimeLimit.truncated": bool(done[i] and (k + i) % 2)} for i in range(2)]
        parts = [random.normal(size=(2, n)) for n in (2, 2, 1)]
        for one in (ours, theirs):
            one.add(*parts, 3.0 * np.tanh(parts[0][:, 0]), done, infos)

    def found(observations, actions, rewards, discounts, following):
        rows = torch.cat([observations, actions, rewards, discounts, following], dim=1)
        return rows[np.unique(rows[:, 0].numpy(), return_index=True)[1]]

    drawn = found(*ours.draw(2000, env, 0.9, n_steps))
    samples = theirs._get_samples(np.tile(np.arange(theirs.size()), 60), env)
    discounts = samples.discounts * (1.0 - samples.dones)
    expected = found(
        samples.observations, samples.actions, samples.rewards, discounts, samples.next_observations
    )
    assert len(expected) == 2 * min(nstep, 12)
    torch.testing.assert_close(drawn, expected, rtol=0, atol=1e-6)
    assert nstep < 5 or (drawn[:, 4] == 0.0).any()


def test_draws_leave_out_what_is_not_there():
    box = spaces.Box(-1, 1, (2,), np.float32), spaces.Box(-1, 1, (1,), np.float32)
    replay = Replay(100, *box, n_envs=2)
    replay.add(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 1)), np.ones(2), np.zeros(2), [{}, {}])
    assert (replay.draw(300)[0] == 1).all()


@pytest.mark.parametrize(
    "options",
    [
        {"use_sde": True},
        {"replay_buffer_class": int},
        {"policy_kwargs": {"features_extractor_class": CombinedExtractor}},
    ],
)
def test_options_of_stable_baselines3_alone(options):
    with pytest.raises(ValueError, match="leave it out, or use SB3-"):
        learner("SAC", **options)


def test_odd_steps_of_td3():
    with pytest.raises(ValueError, match="gradient_steps: found 3, expected an even number"):
        hyperparameters(ENV, "TD3", gradient_steps=3)
    with pytest.raises(ValueError, match="multiple of policy_delay, 2"):
        learner("TD3", gradient_steps=3).learn(40)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", list(OFF_POLICY))
def test_agents_and_their_networks(name, tmp_path):
    """Every algorithm trains, is saved, loaded, and exported with the same actions."""
    settings = hyperparameters(ENV, name, n_envs=4, steps=60, learning_starts=20, net_arch=(8, 8))
    agent = make_agent(f"mjenv/{ENV}", settings, 0, {})
    agent.model.set_logger(Logger(None, []))
    agent.model.learn(60)
    agent.model.save(tmp_path / "agent.zip")
    again = type(agent.model).load(tmp_path / "agent.zip", device="cpu")
    observations = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    expected = agent.act(observations)
    np.testing.assert_array_equal(Agent(again, agent.normalize).act(observations), expected)
    out = Network.of_agent(agent)(torch.from_numpy(observations)).detach().numpy()
    np.testing.assert_allclose(out, expected, rtol=0, atol=2e-6)


def test_files_of_stable_baselines3_are_read(tmp_path):
    theirs = learner("SB3-SAC")
    theirs.save(tmp_path / "agent.zip")
    ours = WideSAC.load(tmp_path / "agent.zip", device="cpu")
    observations = np.zeros((2, 4), np.float32)
    for model in (ours, theirs):
        action = model.predict(observations, deterministic=True)[0]
        np.testing.assert_array_equal(action, theirs.predict(observations, deterministic=True)[0])


@pytest.mark.parametrize("name", NAMES)
def test_normalized_transitions_are_stable_baselines3s(name):
    """Drawn rows are normalized by what is known then, rewards by the returns' deviation."""
    drawn = []
    for one in (name, "SB3-" + name):
        envs = NativeVecEnv(ENV, 4, running_infos=False, observation_dtype=np.float32)
        normalize = VecNormalize(envs, clip_obs=1.5, gamma=0.9)
        model: Any = ALGORITHMS[one](
            "MlpPolicy", normalize, learning_starts=200, buffer_size=400, seed=3, device="cpu"
        )
        model.learn(120)
        rows = model.replay_buffer.sample(64, normalize)
        assert rows.observations.abs().max() == 1.5  # some were clipped
        assert not (rows.rewards == 1.0).any()
        # the same transitions, whatever the order of the draws
        whole = torch.cat([rows.observations, rows.actions, rows.rewards], 1).double()
        drawn.append((normalize, {tuple(row) for row in whole.numpy().round(4).tolist()}))
    (ours, mine), (theirs, others) = drawn
    np.testing.assert_allclose(ours.obs_rms.mean, theirs.obs_rms.mean, rtol=1e-6)
    assert len(mine & others) > 10


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", NAMES)
def test_learning_from_normalized_transitions(name):
    envs = NativeVecEnv(ENV, 4, running_infos=False, observation_dtype=np.float32)
    options = {"learning_starts": 8, "batch_size": 16, "buffer_size": 400, "gradient_steps": 2}
    model: Any = ALGORITHMS[name]("MlpPolicy", VecNormalize(envs), seed=3, device="cpu", **options)
    model.learn(80)
    taken = model.replay_buffer.rows[: model.replay_buffer.size() * 4]
    assert model.get_vec_normalize_env().obs_rms.count > 60
    assert set(taken[:, 5].tolist()) == {0.0, 1.0}  # rewards as they were
