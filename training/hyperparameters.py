"""Hyperparameters: one row per algorithm and environment, where it differs from the defaults."""

from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Hyperparameters:
    """Settings of proximal policy optimization (Schulman et al., 2017).

    Names are those of Stable-Baselines3.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_envs: worlds that step together.
        n_steps: steps per world between updates.
        batch_size: samples per gradient step.
        n_epochs: passes over the samples of an update.
        learning_rate: of Adam, at the start; it falls linearly to zero.
        gamma: discount per step.
        gae_lambda: decay of the generalized advantage estimate.
        clip_range: bound on the change of the probability ratio.
        ent_coef: weight of the entropy bonus.
        vf_coef: weight of the value loss.
        max_grad_norm: bound on the norm of the gradient.
        net_arch: widths of the hidden layers, of the policy and of the value function each.
        log_std_init: logarithm of the actions' standard deviation at the start.
    """

    steps: int = 2_000_000
    n_envs: int = 64
    n_steps: int = 64
    batch_size: int = 1024
    n_epochs: int = 10
    learning_rate: float = 6e-4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    net_arch: tuple[int, ...] = (64, 64)
    log_std_init: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


@dataclass(frozen=True)
class SoftActorCritic:
    """Settings of soft actor-critic (Haarnoja et al., 2018), with a learned entropy coefficient.

    Names are those of Stable-Baselines3. There is a gradient step for every environment step,
    whatever the number of worlds.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_envs: worlds that step together.
        buffer_size: transitions that are remembered.
        learning_starts: steps of random actions before the first gradient step.
        batch_size: samples per gradient step.
        learning_rate: of Adam.
        gamma: discount per step.
        tau: how far the target networks follow in a gradient step.
        net_arch: widths of the hidden layers, of the policy and of the value functions each.
    """

    steps: int = 1_000_000
    n_envs: int = 4
    buffer_size: int = 1_000_000
    learning_starts: int = 10_000
    batch_size: int = 256
    learning_rate: float = 3e-4
    gamma: float = 0.99
    tau: float = 0.005
    net_arch: tuple[int, ...] = (256, 256)

    def to_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


Settings: TypeAlias = Hyperparameters | SoftActorCritic

ALGORITHMS = ("PPO", "SAC")
DEFAULTS = Hyperparameters()

# By the environment's id without its namespace.
TABLE = {
    "InvertedPendulum-v5": replace(DEFAULTS, steps=200_000, n_steps=32),
    # Wide exploration at the start teaches the cheetah to run on its back.
    "HalfCheetah-v5": replace(
        DEFAULTS,
        steps=1_000_000,
        learning_rate=1e-3,
        gamma=0.98,
        gae_lambda=0.92,
        log_std_init=-1.0,
    ),
    "Hopper-v5": DEFAULTS,
    "Ant-v5": replace(DEFAULTS, steps=5_000_000),
}


def hyperparameters(env_id: str, algorithm: str = "PPO", **changes: Any) -> Settings:
    """Settings for an environment: its row of the table, or the defaults, with changes.

    Args:
        env_id: such as "mjenv/HalfCheetah-v5".
        algorithm: "PPO" or "SAC", whose settings are the same for all environments.
        **changes: settings to replace; those that are None are left as they are.

    Raises:
        ValueError: for another algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm: found {algorithm!r}, expected one of {ALGORITHMS}")
    row: Settings = SoftActorCritic()
    if algorithm == "PPO":
        row = TABLE.get(env_id.rpartition("/")[2], DEFAULTS)
    return replace(row, **{name: value for name, value in changes.items() if value is not None})
