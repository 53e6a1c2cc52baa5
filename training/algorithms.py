"""Worlds and an untrained agent, as the settings of an algorithm want them."""

import functools
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.noise import (
    NormalActionNoise,
    OrnsteinUhlenbeckActionNoise,
    VectorizedActionNoise,
)
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.gym.vector import VectorEnv
from mjenv.training.agent import ALGORITHMS, Agent
from mjenv.training.cluster.ppo import ClusterPPO, RemoteWorlds
from mjenv.training.cluster.worker_pool import Cluster
from mjenv.training.evaluate import make_envs
from mjenv.training.learners.asymmetric import Asymmetric
from mjenv.training.learners.hindsight import Hindsight, refuse_steps
from mjenv.training.learners.own_networks import check_view
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.random_search import LINEAR
from mjenv.training.learners.schedules import moving, policy_options, scheduled
from mjenv.training.learners.self_play import arena_of
from mjenv.training.runs.own_code import OwnCode
from mjenv.training.settings import (
    Entropic,
    FromPictures,
    Hyperparameters,
    OffPolicy,
    RandomSearch,
    SelfPlay,
    Settings,
    StableRecurrent,
    TruncatedQuantiles,
)
from mjenv.training.tasks.rows import rows_of
from mjenv.training.tasks.view import View
from mjenv.training.worlds.picture_worlds import PictureWorlds
from mjenv.training.worlds.vec_env import NativeVecEnv


def make_worlds(
    env_id: str,
    settings: Settings,
    seed: int,
    env_kwargs: dict[str, Any],
    cluster: Cluster | None = None,
) -> VecEnv:
    """The worlds of a training, as its settings want them, here or in the workers of a cluster.

    Raises:
        ValueError: the environment does not take its arguments.
    """
    env_kwargs = {**env_kwargs, **(settings.training_env_kwargs or {})}
    if cluster is not None:
        return RemoteWorlds(env_id, settings, cluster.workers, seed, env_kwargs)
    # in the precision of the networks; rollouts need one array only, that every step writes
    how: dict[str, Any] = (
        {} if settings.algorithm == "SB3-PPO" else {"observation_dtype": np.float32}
    )
    how |= {"copy": False} if settings.algorithm in ("PPO", "SelfPlay") else {}
    make = functools.partial(make_envs, env_id, env_kwargs=env_kwargs, **how)
    if isinstance(settings, RandomSearch):
        return episodes_of(env_id, make(settings.n_envs))
    if isinstance(settings, FromPictures):
        envs = make(settings.n_envs).envs
        return PictureWorlds(envs, settings.frame_stack, settings.action_repeat)
    if isinstance(settings, SelfPlay):
        return arena_of(env_id, make(1), make, settings, seed)
    return rows_of(env_id, make(settings.n_envs), settings)


def make_agent(
    env_id: str,
    settings: Settings,
    seed: int,
    env_kwargs: dict[str, Any],
    cluster: Cluster | None = None,
    own: OwnCode | None = None,
) -> Agent:
    """An untrained agent of the settings' algorithm, with networks of the user where there are any.

    Raises:
        ValueError: the environment does not take its arguments, or does not fit the algorithm.
    """
    # the worlds say which numbers there are to learn
    envs = make_worlds(env_id, settings, seed, env_kwargs, cluster)
    actions: Any = envs.action_space
    if not actions.shape or actions.shape[0] == 0:
        raise ValueError(f"{env_id}: has no actions to learn; give its model actuators")
    if not (np.isfinite(actions.low).all() and np.isfinite(actions.high).all()):
        raise ValueError(
            f"{env_id}: actions have no limits ({actions}), expected finite ones; give the "
            "actuators a ctrlrange"
        )
    # the settings say by which algorithm
    algorithm: Any = ALGORITHMS[settings.algorithm] if cluster is None else ClusterPPO
    own = own or OwnCode()
    check_view((own.policy, own.features), getattr(envs, "view", View()).rest)
    if isinstance(settings, RandomSearch):
        model: BaseAlgorithm = random_search(algorithm, envs, settings, seed)
    elif isinstance(settings, FromPictures):
        model = from_pictures(algorithm, envs, settings, seed)
    elif isinstance(settings, OffPolicy):
        model = off_policy(algorithm, envs, settings, seed, own)
    else:
        model = proximal_policy_optimization(algorithm, envs, settings, seed, own)
    return Agent.of(model)


def episodes_of(env_id: str, envs: NativeVecEnv) -> NativeVecEnv:
    """Worlds as a random search takes them: of one task, with whole episodes of vectors.

    Raises:
        ValueError: observations are in groups or pictures, episodes have no end, or worlds cannot
            be stepped apart.
    """
    inner: Any = envs.envs
    space, problem = inner.single_observation_space, None
    if isinstance(space, spaces.Dict):
        problem = f"observations are in groups, {', '.join(space)}, expected one vector"
    elif len(space.shape) != 1:
        problem = f"observations have shape {space.shape}, expected one vector"
    elif not isinstance(inner.unwrapped, VectorEnv):
        problem = "worlds are of several tasks or of another package, expected one task of mjenv"
    elif inner.unwrapped.max_episode_steps is None:
        problem = "episodes may have no end, expected a task with max_episode_steps"
    if problem is not None:
        envs.close()
        raise ValueError(f"{env_id}: {problem} for ARS; leave --algorithm out")
    return envs


def random_search(algorithm: Any, envs: VecEnv, settings: RandomSearch, seed: int) -> BaseAlgorithm:
    """Augmented random search, on normalized observations and rewards as they are."""
    return algorithm(
        LINEAR,
        VecNormalize(envs, norm_reward=False),
        n_delta=settings.n_delta,
        n_top=settings.n_top,
        delta_std=moving(settings.delta_std, settings.delta_std_final),
        learning_rate=scheduled(settings.learning_rate, settings.learning_rate_schedule),
        alive_bonus_offset=settings.alive_bonus_offset,
        n_eval_episodes=settings.n_eval_episodes,
        stats_window_size=settings.n_envs,  # the episodes of an iteration
        seed=seed,
        device="cpu",
    )


def from_pictures(algorithm: Any, envs: VecEnv, settings: FromPictures, seed: int) -> BaseAlgorithm:
    """DrQ, on pictures and rewards as they are."""
    own = settings.to_dict()
    network = {name: own.pop(name) for name in ("features", "net_arch")}
    schedule, rate = own.pop("learning_rate_schedule"), own.pop("learning_rate")
    del own["steps"], own["n_envs"], own["training_env_kwargs"]  # which the worlds have
    return algorithm(
        "PicturePolicy",
        envs,
        learning_rate=scheduled(rate, schedule),
        policy_kwargs=network,
        stats_window_size=settings.n_envs,  # its episodes are few
        seed=seed,
        **own,
    )


def proximal_policy_optimization(
    algorithm: type[PPO],
    envs: VecEnv,
    settings: Hyperparameters,
    seed: int,
    networks: OwnCode,
) -> PPO:
    """PPO, on normalized observations and rewards."""
    # asymmetric and recurrent policies have classes of their own
    view = getattr(envs, "view", View())
    narrow = {"seen": view.width} if view.rest else {}
    policy: Any = Asymmetric if view.rest else "MlpPolicy"
    if isinstance(settings, StableRecurrent):
        policy, narrow = "MlpLstmPolicy", {"lstm_hidden_size": settings.lstm}
    policy = networks.policy or policy
    # settings that only one of the algorithms has
    own: dict[str, Any] = {}
    if isinstance(settings, SelfPlay):
        own["past_every"] = settings.past_every
    # the settings by the names of Stable-Baselines3
    model = algorithm(
        policy,
        VecNormalize(envs, gamma=settings.gamma, norm_reward=settings.normalize_rewards),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        learning_rate=scheduled(settings.learning_rate, settings.learning_rate_schedule),
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=scheduled(settings.clip_range, settings.clip_schedule),
        target_kl=settings.target_kl,
        ent_coef=settings.ent_coef,
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={
            **policy_options(settings, "vf"),
            "log_std_init": settings.log_std_init,
            **narrow,
            **in_front(networks),
        },
        stats_window_size=max(100, settings.n_envs) if issubclass(algorithm, WidePPO) else 100,
        seed=seed,
        device="cpu",
        **own,
    )
    if isinstance(model, WidePPO):
        model.noise_correlation = settings.noise_correlation
        model.init_at_random_ep_len = settings.init_at_random_ep_len
        if settings.log_std_final is not None:
            model.log_std_ends = settings.log_std_init, settings.log_std_final
        if settings.ent_coef_schedule == "linear":
            model.ent_coef_schedule = scheduled(settings.ent_coef, "linear")
    return model


def in_front(networks: OwnCode) -> dict[str, Any]:
    """Options of a policy with a network of the user in front of it."""
    return {} if networks.features is None else {"features_extractor_class": networks.features}


def off_policy(
    algorithm: Any, envs: VecEnv, settings: OffPolicy, seed: int, networks: OwnCode
) -> BaseAlgorithm:
    """SAC, TQC or TD3, on observations and rewards as they are, or normalized."""
    # settings that only one of the algorithms has
    own: dict[str, Any] = {}
    if isinstance(settings, TruncatedQuantiles):
        own["top_quantiles_to_drop_per_net"] = settings.dropped
    if isinstance(settings, Entropic):
        learned = f"auto_{settings.ent_coef_init}"
        own["ent_coef"] = learned if settings.ent_coef is None else settings.ent_coef
    if settings.noise:
        own["action_noise"] = action_noise(settings, envs)
    view = getattr(envs, "view", View())
    if view.goals and settings.hindsight:
        own |= hindsight(algorithm, envs, settings)
    # the settings by the names of Stable-Baselines3; most do not normalize, as in the papers
    normal = settings.normalize
    return algorithm(
        networks.policy or "MlpPolicy",
        VecNormalize(envs, norm_obs=normal, norm_reward=normal, gamma=settings.gamma),
        buffer_size=settings.buffer_size,
        learning_starts=settings.learning_starts,
        batch_size=settings.batch_size,
        learning_rate=scheduled(settings.learning_rate, settings.learning_rate_schedule),
        gamma=settings.gamma,
        n_steps=settings.n_steps,
        tau=settings.tau,
        train_freq=1,
        gradient_steps=settings.gradient_steps,
        policy_kwargs={**policy_options(settings, "qf"), **in_front(networks)},
        stats_window_size=max(10, settings.n_envs),  # its episodes are few
        seed=seed,
        device="cpu",
        **own,
    )


def action_noise(settings: OffPolicy, envs: VecEnv) -> VectorizedActionNoise:
    """What is added to the actions of each world, by deviations of their own."""
    shape: Any = envs.action_space.shape
    mean, deviations = np.zeros(shape), np.full(envs.num_envs, settings.noise)
    if settings.noise_most is not None:
        deviations = np.geomspace(settings.noise, settings.noise_most, envs.num_envs)
    # a process whose deviation stays, each number so far correlated with the one before
    correlation = settings.noise_correlation
    make: Any = NormalActionNoise
    if correlation:
        deviations = deviations * np.sqrt(1.0 - correlation**2)
        make = functools.partial(OrnsteinUhlenbeckActionNoise, theta=1.0 - correlation, dt=1.0)
    noises = [make(mean, np.full(shape, deviation)) for deviation in deviations]
    every = VectorizedActionNoise(noises[0], envs.num_envs)
    every.noises = noises
    return every


def hindsight(algorithm: Any, envs: Any, settings: OffPolicy) -> dict[str, Any]:
    """Options of an algorithm that learns from goals that were reached by accident.

    Raises:
        ValueError: it does not.
    """
    if settings.algorithm.startswith("SB3-"):
        own = settings.algorithm.removeprefix("SB3-")
        raise ValueError(
            f"{settings.algorithm}: learns goals without hindsight, expected {own} for a task with "
            "goals; or --set hindsight:0"
        )
    refuse_steps(settings.n_steps)
    size = envs.envs.single_observation_space["desired_goal"].shape[0]
    return {
        "replay_buffer_class": Hindsight,
        "replay_buffer_kwargs": {"share": settings.hindsight, "size": size},
    }
