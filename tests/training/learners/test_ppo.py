"""The learner for many worlds: it does what Stable-Baselines3's PPO does, and what it promises."""

import copy

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

from mjenv.training.learners import elementwise
from mjenv.training.learners.flat import FlatAdam, flat_gradient
from mjenv.training.learners.mlp import AutogradNetwork, ManualMLP, NormalizedReLU, network
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.rollout import Rollout
from mjenv.training.worlds.vec_env import NativeVecEnv

ENV = "InvertedPendulum-v5"

pytestmark = pytest.mark.usefixtures("one_thread")


def worlds(n=8, env=ENV):
    return NativeVecEnv(env, n, running_infos=False, observation_dtype=np.float32, copy=False)


def learner(n=8, env=ENV, **options):
    given = {"n_steps": 16, "batch_size": 32, "n_epochs": 2, "seed": 3, "device": "cpu", **options}
    model = WidePPO("MlpPolicy", worlds(n, env), **given)
    model.set_logger(Logger(None, []))
    return model


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU, nn.ELU, NormalizedReLU])
def test_gradients_are_those_of_automatic_differentiation(activation, last):
    torch.manual_seed(0)
    layers = nn.Linear(5, 7), activation(), nn.Linear(7, 6), activation(), nn.Linear(6, 2)
    module = nn.Sequential(nn.Sequential(*layers[:4]), layers[4], *[activation()] * last)
    for parameter in module.parameters():
        parameter.grad = torch.full_like(parameter, 7.0)  # of a step before
    fast = network(module)
    assert type(fast) is ManualMLP
    x, dy = torch.randn(9, 8)[:, :5].requires_grad_(), torch.randn(9, 2)
    expected = module(x)
    by_x, *gradients = torch.autograd.grad(expected, [x, *module.parameters()], dy)
    y = fast.forward(x)
    torch.testing.assert_close(y, expected.detach(), rtol=0, atol=1e-6)
    torch.testing.assert_close(fast.pull(dy), by_x, rtol=1e-5, atol=1e-5)
    fast.forward(x)
    fast.backward(dy)
    for parameter, gradient in zip(module.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-5, atol=1e-5)


def test_an_elu_of_another_height_is_left_to_automatic_differentiation():
    assert isinstance(network(nn.Sequential(nn.Linear(2, 3), nn.ELU(0.5))), AutogradNetwork)


@pytest.mark.parametrize(
    ("loop", "theirs"),
    [
        (elementwise.put_tanh, torch.tanh),
        (elementwise.put_relu, torch.relu),
        (elementwise.put_elu, nn.functional.elu),
    ],
)
def test_activations_are_those_of_torch_and_keep_what_is_not_finite(loop, theirs):
    x = torch.cat([torch.linspace(-20, 20, 4001), torch.tensor([np.inf, -np.inf, np.nan, 1e-30])])
    y, bias = x[:, None].clone(), torch.zeros(1)
    loop(y.numpy(), bias.numpy())
    torch.testing.assert_close(y[:, 0], theirs(x), rtol=0, atol=4e-7, equal_nan=True)


def test_rows_that_are_not_finite_stay_so_when_they_are_normalized():
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [np.inf, 0.0, 0.0, 1.0], [0.0, np.nan, 1.0, 2.0]])
    expected, bias = NormalizedReLU()(x + 1.0), torch.ones(4)
    put = x.clone()
    elementwise.put_normalized_relu(
        put.numpy(), bias.numpy(), np.empty((3, 4), np.float32), np.empty((3, 1), np.float32)
    )
    torch.testing.assert_close(put[0], expected[0], rtol=1e-6, atol=1e-6)
    assert not put[1:].isfinite().any()


def moved(policy, optimizer, gradients, step):
    """Parameters after Adam's steps down given gradients."""
    for gradient in gradients:
        for parameter, one in zip(policy.parameters(), gradient, strict=True):
            parameter.grad.copy_(one)
        step()
    return [parameter.detach().clone() for parameter in policy.parameters()]


@pytest.mark.parametrize("options", [{}, {"fused": True}, {"amsgrad": True}, {"weight_decay": 0.1}])
def test_flat_steps_are_those_of_adam_also_after_loading(options):
    """Ten steps of both, the second half in optimizers that were loaded."""
    torch.manual_seed(0)
    flat, theirs = (nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)) for _ in range(2))
    theirs.load_state_dict(flat.state_dict())
    gradients = [[torch.randn_like(one) for one in flat.parameters()] for _ in range(10)]
    vector = flat_gradient(list(flat.parameters()))
    for parameter in theirs.parameters():
        parameter.grad = torch.zeros_like(parameter)
    adam = FlatAdam(list(flat.parameters()), vector)
    kept = None
    for part in (gradients[:5], gradients[5:]):
        pair = [torch.optim.Adam(one.parameters(), 0.01, **options) for one in (flat, theirs)]
        for optimizer in pair:
            if kept is not None:
                optimizer.load_state_dict(copy.deepcopy(kept))
        adam.prepare(pair[0])
        found = moved(flat, pair[0], part, adam.step)
        expected = moved(theirs, pair[1], part, pair[1].step)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)
        kept = copy.deepcopy(pair[0].state_dict())


def test_advantages_are_stable_baselines3s():
    random = np.random.default_rng(0)
    envs = worlds(3)
    rollout = Rollout(6, envs.observation_space, envs.action_space, n_envs=3)
    reference = PPO("MlpPolicy", worlds(3), n_steps=6, batch_size=6, gamma=0.9, gae_lambda=0.8)
    theirs = reference.rollout_buffer
    theirs.reset()
    starts = np.zeros(3, bool)
    values = torch.from_numpy(random.normal(size=(7, 3)).astype(np.float32))
    for t in range(6):
        rollout.rewards[t], rollout.values[t] = random.normal(size=3), values[t].numpy()
        rollout.ends[t] = random.random(3) < 0.3
        theirs.add(
            np.zeros((3, 4)), np.zeros((3, 1)), rollout.rewards[t], starts, values[t], values[t]
        )
        starts = rollout.ends[t]
    theirs.compute_returns_and_advantage(values[6], starts)
    rollout.estimate(values[6].numpy(), 0.9, 0.8)
    np.testing.assert_allclose(rollout.advantages, theirs.advantages, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(rollout.returns, theirs.returns, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("ent_coef", [0.0, 0.01])
def test_an_update_is_stable_baselines3s(ent_coef):
    """One step on the same rollout from the same parameters leads to the same parameters."""
    options = {"n_epochs": 1, "batch_size": 128, "ent_coef": ent_coef, "learning_rate": 0.01}
    ours = learner(env="HalfCheetah-v5", **options)
    ours.learn(128)
    eps = {"optimizer_kwargs": {"eps": 1e-5}}
    theirs = PPO(
        "MlpPolicy",
        worlds(env="HalfCheetah-v5"),
        n_steps=16,
        policy_kwargs=eps,
        device="cpu",
        **options,
    )
    theirs.set_logger(Logger(None, []))
    theirs.policy.load_state_dict(ours.policy.state_dict())
    theirs.policy.optimizer = torch.optim.Adam(theirs.policy.parameters(), 0.01, eps=1e-5)
    ours.policy.optimizer = torch.optim.Adam(ours.policy.parameters(), 0.01, eps=1e-5, fused=True)
    theirs.rollout_buffer.reset()
    for name in ("observations", "actions", "log_probs", "advantages", "returns", "values"):
        setattr(theirs.rollout_buffer, name, getattr(ours.rollout_buffer, name).copy())
    theirs.rollout_buffer.full = True
    theirs.train()
    ours.train()
    for name, value in theirs.policy.state_dict().items():
        # Adam's first step is the gradient's sign: where it is nearly zero, rounding decides
        near = torch.isclose(ours.policy.state_dict()[name], value, rtol=0, atol=1e-5)
        assert near.float().mean() > 0.99, name
    for name in ("approx_kl", "policy_gradient_loss", "value_loss", "entropy_loss"):
        ours_said, said = (m.logger.name_to_value[f"train/{name}"] for m in (ours, theirs))
        assert ours_said == pytest.approx(said, rel=1e-3, abs=1e-5), name


class Watch(BaseCallback):
    """Notes what callbacks are shown."""

    def __init__(self, until=None):
        super().__init__()
        self.seen, self.until = [], until

    def _on_step(self):
        names = ("rewards", "dones", "infos", "clipped_actions")
        self.seen.append({name: self.locals[name] for name in names})
        return self.until is None or len(self.seen) < self.until


def test_rollouts_hold_what_the_worlds_have_done():
    """Replayed with Stable-Baselines3's own classes: the same observations, rewards, episodes."""
    model = learner(n=4, n_steps=64, batch_size=64)
    watch = Watch()
    model.learn(256, callback=watch)
    again = VecNormalize(worlds(4), norm_obs=False, norm_reward=False)
    again.seed(3)
    seen, raw, infos = again.reset(), [], []
    for step in watch.seen:
        raw.append(seen)
        seen, rewards, dones, said = again.step(step["clipped_actions"])
        np.testing.assert_array_equal(rewards, np.float32(step["rewards"]))
        np.testing.assert_array_equal(dones, step["dones"])
        infos += [info["episode"] for info in said if info]
    assert [e["r"] for e in infos] == [e["r"] for e in model.ep_info_buffer]
    assert [e["terms"] for e in infos] == [e["terms"] for e in model.ep_info_buffer]
    # normalized by the first observations, until the rollout is over
    first = np.array(raw[0], np.float64)
    mean, variance = np.zeros(4), np.ones(4)
    total = 4 + 1e-4
    variance = (1e-4 * variance + 4 * first.var(0) + first.mean(0) ** 2 * 1e-4 * 4 / total) / total
    mean = first.mean(0) * 4 / total
    expected = np.clip((np.array(raw) - mean) / np.sqrt(variance + 1e-8), -10, 10)
    np.testing.assert_allclose(model.rollout_buffer.observations, expected, rtol=1e-4, atol=1e-4)
    # and by all of them afterwards
    everything = np.concatenate((first, np.concatenate(raw)))
    rms = model.get_vec_normalize_env().obs_rms
    np.testing.assert_allclose(rms.mean, everything.mean(0), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(rms.var, everything.var(0), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_noise_goes_on_from_step_to_step(correlation):
    """Each number is normally distributed as ever, so that its density is what it was."""
    model = learner(n=32, n_steps=100, batch_size=3200)
    model.noise_correlation = correlation
    _, callback = model._setup_learn(3200, Watch())
    before = copy.deepcopy(model.policy)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, 100)
    rollout = model.rollout_buffer
    rows = torch.from_numpy(rollout.observations.reshape(3200, 4))
    actions = torch.from_numpy(rollout.actions.reshape(3200, 1))
    with torch.no_grad():
        distribution = before.get_distribution(rows)
        log_probs = distribution.log_prob(actions).numpy().reshape(100, 32)
        noise = (actions - distribution.distribution.mean) / distribution.distribution.stddev
    np.testing.assert_allclose(rollout.log_probs, log_probs, atol=1e-4)
    noise = noise.numpy().reshape(100, 32)
    for start in (0, 50):
        assert abs(noise[start : start + 50].std() - 1.0) < 0.15
    apart = [np.corrcoef(noise[: 100 - n].ravel(), noise[n:].ravel())[0, 1] for n in (1, 5)]
    np.testing.assert_allclose(apart, [correlation, correlation**5], atol=0.1)


def test_first_episodes_may_end_one_after_the_other():
    envs = NativeVecEnv(
        "reacher-easy-v0", 64, running_infos=False, observation_dtype=np.float32,
        max_episode_steps=50,
    )  # fmt: skip
    options = {"n_steps": 50, "batch_size": 3200, "seed": 0}
    model = WidePPO("MlpPolicy", envs, device="cpu", **options)
    model.init_at_random_ep_len = True
    model.set_logger(Logger(None, []))
    for ends in (1, 2):
        model.learn(3200 * ends, reset_num_timesteps=False)
        # once in as many steps as an episode has, and not all at a time
        assert (model.rollout_buffer.ends.sum(0) == 1).all()
        assert model.rollout_buffer.ends.sum(1).max() < 8
    model = WidePPO(
        "MlpPolicy", NativeVecEnv("reacher-easy-v0", 4, max_episode_steps=None), **options
    )
    model.init_at_random_ep_len = True
    with pytest.raises(ValueError, match="init_at_random_ep_len: found worlds without max_ep"):
        model.learn(200)


def test_episodes_that_are_cut_off_go_on_in_their_value():
    rollout_ends = []
    for limit in (5, None):
        envs = NativeVecEnv(
            ENV, 3, running_infos=False, observation_dtype=np.float32, max_episode_steps=limit
        )
        calm = {"log_std_init": -5.0}
        options = {"n_steps": 5, "batch_size": 15, "seed": 0, "policy_kwargs": calm}
        model = WidePPO("MlpPolicy", envs, device="cpu", **options)
        model.get_vec_normalize_env().norm_reward = False
        model.set_logger(Logger(None, []))
        model.learn(15)
        rollout = model.rollout_buffer
        rollout_ends.append((rollout.ends[4].all(), rollout.rewards[4].copy(), rollout.returns[4]))
    (cut, with_value, returns), (uncut, plain, estimated) = rollout_ends
    assert cut
    assert not uncut
    assert np.abs(with_value - plain).max() > 1e-3
    np.testing.assert_allclose(returns, estimated, rtol=1e-5)


def test_callbacks_stop_a_training():
    model = learner()
    model.learn(10_000, callback=Watch(until=5))
    assert model.num_timesteps == 40


def test_save_and_load(tmp_path):
    model = learner()
    model.learn(256)
    model.save(tmp_path / "model.zip")
    loaded = WidePPO.load(tmp_path / "model.zip", env=worlds(), device="cpu")
    observations = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    actions = model.predict(observations, deterministic=True)[0]
    np.testing.assert_array_equal(loaded.predict(observations, deterministic=True)[0], actions)
    loaded.set_logger(Logger(None, []))
    loaded.learn(128, reset_num_timesteps=False)
    assert loaded.num_timesteps == 384
    theirs = PPO.load(tmp_path / "model.zip", device="cpu")
    np.testing.assert_array_equal(
        theirs.predict(observations, deterministic=True)[0],
        actions,
    )


def test_the_same_seed_gives_the_same_bits():
    states = []
    for _ in range(2):
        model = learner()
        model.learn(512)
        states.append(model.policy.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_target_kl_ends_an_update():
    model = learner(n_epochs=10, target_kl=1e-6, learning_rate=0.01)
    model.learn(128)
    assert model._n_updates < 10


def test_names_make_worlds():
    model = WidePPO("MlpPolicy", ENV, n_steps=2, batch_size=64, device="cpu")
    assert model.n_envs == 512


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clip_range_vf": 0.2}, "has no clip_range_vf"),
        ({"use_sde": True}, "has no use_sde"),
        ({"rollout_buffer_class": Rollout}, "has no rollout_buffer_class"),
    ],
)
def test_options_of_stable_baselines3s_alone(options, message):
    with pytest.raises(ValueError, match=message):
        learner(**options)


def test_other_environments_are_refused():
    envs = DummyVecEnv([lambda: gymnasium.make("mjenv/InvertedPendulum-v5")])
    with pytest.raises(TypeError, match="expected a NativeVecEnv"):
        WidePPO("MlpPolicy", envs, n_steps=8, batch_size=8, device="cpu").learn(8)
    with pytest.raises(ValueError, match="expected a DiagGaussianDistribution"):
        WidePPO("MlpPolicy", gymnasium.make("CartPole-v1"), n_steps=8, batch_size=8, device="cpu")
