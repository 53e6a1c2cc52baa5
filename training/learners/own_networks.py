"""Networks of the user: which algorithms take them, and which form they have to have."""

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.tqc.policies import TQCPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor
from stable_baselines3.sac.policies import SACPolicy
from stable_baselines3.td3.policies import TD3Policy

# what a policy has to be, by algorithm; the others have hand-written gradients of their own
POLICIES: dict[str, type] = {
    "PPO": ActorCriticPolicy,
    "SB3-PPO": ActorCriticPolicy,
    "SB3-RecurrentPPO": RecurrentActorCriticPolicy,
    "SB3-SAC": SACPolicy,
    "SB3-TQC": TQCPolicy,
    "SB3-TD3": TD3Policy,
}
FEATURES = tuple(name for name in POLICIES if name != "PPO")
KNOWN = "mjenv.", "stable_baselines3.", "sb3_contrib."


def check_networks(
    algorithm: str, policy: type | None, features: type | None, spread: bool
) -> None:
    """Refuse networks that an algorithm does not train.

    Args:
        algorithm: its name.
        policy: class of a policy; None for the algorithm's.
        features: class of what is in front of it; None for none.
        spread: whether workers of a cluster step the worlds.

    Raises:
        ValueError: it cannot be trained.
    """
    given = {
        "policy": (policy, POLICIES.get(algorithm), tuple(POLICIES)),
        "features": (features, BaseFeaturesExtractor if algorithm in FEATURES else None, FEATURES),
    }
    for option, (found, base, able) in given.items():
        if found is None:
            continue
        if base is None:
            raise ValueError(
                f"{option}: {algorithm} has networks of its own, expected one of {', '.join(able)} "
                f"for {found.__module__}:{found.__qualname__}"
            )
        if spread:
            raise ValueError(f"{option}: found a cluster, expected worlds in this process")
        recurrent = issubclass(found, RecurrentActorCriticPolicy)
        if not issubclass(found, base) or recurrent != (base is RecurrentActorCriticPolicy):
            raise ValueError(
                f"{option}: found {found.__module__}:{found.__qualname__}, expected a subclass of "
                f"{base.__module__}.{base.__qualname__} for {algorithm}"
            )


def check_view(networks: tuple[type | None, type | None], rest: Any) -> None:
    """Refuse networks for actors that see less than critics.

    Raises:
        ValueError: some were given.
    """
    if rest and any(networks):
        raise ValueError(
            "policy: the actor sees other observations than the critic, expected one group for "
            "networks of your own; choose it with --set actor_group:NAME critic_group:NAME"
        )


def is_own(policy: Any) -> bool:
    """Whether a policy has networks of a user."""
    known = type(policy).__module__.startswith(KNOWN)
    return not known or policy.features_extractor_class is not FlattenExtractor


def check_halves(policy: Any, actor: Any, critic: Any) -> None:
    """Refuse a policy that is more than two networks which share nothing.

    Args:
        policy: the policy.
        actor: its mean actions for rows of observations, as they are trained.
        critic: its values likewise.

    Raises:
        ValueError: it is, as its own answers are others than those of the two.
    """
    # parameters belong to one of the two
    name, hint = name_of(policy), "expected two networks that share nothing; SB3-PPO trains it"
    halves = [
        {id(one) for part in parts for one in part.parameters()}
        for parts in (
            (policy.mlp_extractor.policy_net, policy.action_net),
            (policy.mlp_extractor.value_net, policy.value_net),
        )
    ]
    others = {id(one) for one in policy.parameters()} - halves[0] - halves[1]
    if halves[0] & halves[1] or others - {id(policy.log_std)}:
        raise ValueError(f"{name}: its networks share parameters, or there are others; {hint}")
    # and they say what the policy says
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(8, policy.observation_space.shape[0])).astype(np.float32)
    observations = torch.from_numpy(rows)
    policy.set_training_mode(False)
    with torch.no_grad():
        answers = (
            (policy._predict(observations, deterministic=True), actor.forward(observations)),
            (policy.predict_values(observations), critic.forward(observations)),
        )
    if not all(torch.allclose(*pair, rtol=1e-4, atol=1e-5) for pair in answers):
        raise ValueError(
            f"{name}: its actions or values are others than those of mlp_extractor.policy_net and "
            f"action_net, value_net and value_net; {hint}"
        )


def name_of(policy: Any) -> str:
    """`module:Class` of a policy."""
    return f"{type(policy).__module__}:{type(policy).__qualname__}"
