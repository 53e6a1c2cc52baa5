"""Hyperparameters: one row per algorithm and environment, where it differs from the defaults."""

from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from mjenv.gym import registration
from mjenv.training.settings import (
    FastSoftActorCritic,
    FromPictures,
    Hyperparameters,
    OffPolicy,
    RandomSearch,
    SelfPlay,
    Settings,
    SoftActorCritic,
    StableBaselines,
    StableRecurrent,
    StableSoftActorCritic,
    StableTruncatedQuantiles,
    StableTwinDelayed,
    TruncatedQuantiles,
    TwinDelayed,
)

DEFAULTS = Hyperparameters()
WIDE = replace(DEFAULTS, n_envs=512, n_steps=16, batch_size=2048, n_epochs=4, learning_rate=1e-3)
HUMANOID = replace(WIDE, learning_rate=6e-4, net_arch=(128, 128), log_std_init=-1.0)
# robots whose commands change while they move
ROBOT = replace(
    WIDE, n_steps=24, learning_rate=8e-4, gamma=0.97, ent_coef=0.002, net_arch=(128, 64),
    log_std_init=-1.0,
)  # fmt: skip
# robots whose actions are in units of their forces, as mjlab has them
UNITREE = replace(
    ROBOT, n_steps=16, n_epochs=5, learning_rate=1e-3, ent_coef=0.006, ent_coef_schedule="linear",
    log_std_init=-0.2,
)  # fmt: skip
# Few worlds and long rollouts: with many, the pole is never brought up.
SWING = replace(
    DEFAULTS, n_envs=16, n_steps=512, batch_size=512, learning_rate=5e-4, gamma=0.995,
    gae_lambda=0.97,
)  # fmt: skip
# Tasks of the dm_control suite, whose episodes all have one length: without noise that goes on from
# step to step, and worlds that begin episodes apart, walker-run comes to 436 rather than 788.
SUITE = replace(
    WIDE, steps=10_000_000, n_steps=32, n_epochs=8, gamma=0.995, ent_coef=0.01,
    net_arch=(128, 128), noise_correlation=0.5, init_at_random_ep_len=True,
)  # fmt: skip
STABLE = StableBaselines()

# Off-policy algorithms, whose settings are the same for all environments but those of a table.
OFF_POLICY: dict[str, OffPolicy] = {
    one.algorithm: one()
    for one in (
        SoftActorCritic,
        FastSoftActorCritic,
        TruncatedQuantiles,
        TwinDelayed,
        StableSoftActorCritic,
        StableTruncatedQuantiles,
        StableTwinDelayed,
    )
}
ALGORITHMS = ("PPO", "SelfPlay", "SB3-PPO", "SB3-RecurrentPPO", "ARS", "DrQ", *OFF_POLICY)

# Steps after which tasks of the suite are learned, or have come as far as they come.
SUITE_STEPS = {
    "cartpole-balance-v0": 2_000_000,
    "cartpole-balance_sparse-v0": 2_000_000,
    "ball_in_cup-catch-v0": 5_000_000,
    "dog-stand-v0": 1_500_000,
    "dog-walk-v0": 1_500_000,
    "dog-trot-v0": 1_500_000,
    "dog-run-v0": 1_500_000,
    "fish-swim-v0": 18_000_000,
    "hopper-hop-v0": 20_000_000,
    "quadruped-run-v0": 4_000_000,
    "quadruped-walk-v0": 4_000_000,
    "walker-stand-v0": 6_000_000,
    "walker-walk-v0": 8_000_000,
}

# By the environment's id without its namespace.
TABLE = {
    **{
        task.id: replace(SUITE, steps=SUITE_STEPS.get(task.id, SUITE.steps))
        for task in registration.SUITE
        if task.max_episode_steps
    },
    "InvertedPendulum-v5": replace(DEFAULTS, steps=200_000, n_steps=32),
    "InvertedDoublePendulum-v5": replace(DEFAULTS, steps=1_000_000),
    "Reacher-v5": replace(
        DEFAULTS,
        steps=2_400_000,
        n_envs=16,
        n_steps=512,
        batch_size=512,
        n_epochs=8,
        learning_rate=6.4e-4,
        gamma=0.95,
        gae_lambda=0.98,
        ent_coef=0.002,
        net_arch=(128, 64),
        log_std_init=-1.3,
    ),
    "Pusher-v5": replace(DEFAULTS, steps=4_000_000),
    # Wide exploration at the start teaches the cheetah to run on its back.
    "HalfCheetah-v5": replace(
        WIDE, steps=16_000_000, batch_size=1024, gamma=0.98, gae_lambda=0.92, log_std_init=-1.0
    ),
    # Long rollouts and a long horizon: with a shorter one hoppers run fast, and fall.
    "Hopper-v5": replace(
        DEFAULTS,
        steps=10_000_000,
        n_steps=128,
        batch_size=512,
        n_epochs=5,
        learning_rate=5e-4,
        gamma=0.995,
    ),
    "Walker2d-v5": replace(
        DEFAULTS,
        steps=10_000_000,
        n_envs=128,
        n_steps=128,
        batch_size=512,
        n_epochs=4,
        learning_rate=1.2e-3,
        clip_range=0.1,
        ent_coef=0.001,
        net_arch=(128, 64),
        log_std_init=-1.0,
    ),
    # A stroke pays much later: long rollouts, hardly any discount.
    "Swimmer-v5": replace(
        DEFAULTS,
        steps=4_194_304,
        n_envs=64,
        n_steps=512,
        batch_size=512,
        n_epochs=6,
        learning_rate=1.66e-3,
        gamma=0.9999,
        gae_lambda=0.98,
        net_arch=(128, 128),
    ),
    "Ant-v5": replace(WIDE, steps=20_000_000, gamma=0.98, gae_lambda=0.92, log_std_init=-1.0),
    # A short horizon, small batches, little noise: with gamma 0.99 and batches of 2,048 it comes to
    # 8,400 rather than 10,000.
    "Humanoid-v5": replace(
        HUMANOID,
        steps=12_000_000,
        batch_size=1024,
        gamma=0.98,
        gae_lambda=0.92,
        log_std_init=-1.3,
    ),
    # With many worlds and short rollouts it comes to sit, at 160,000.
    "HumanoidStandup-v5": replace(
        HUMANOID,
        steps=3_000_000,
        n_envs=64,
        n_steps=128,
        batch_size=512,
        n_epochs=5,
        learning_rate=5e-4,
        gamma=0.995,
    ),
    "QuadrupedJoystick-v0": replace(ROBOT, steps=12_000_000),
    "QuadrupedRough-v0": replace(ROBOT, steps=16_000_000),
    "BipedJoystick-v0": replace(ROBOT, steps=12_000_000, gamma=0.98, log_std_init=-1.3),
    "ArmLift-v0": replace(ROBOT, steps=12_000_000, ent_coef=0.004),
    "cartpole-swingup-v0": replace(SWING, steps=1_000_000),
    "finger-spin-v0": replace(SWING, steps=1_000_000),
    "Go1Velocity-v0": replace(UNITREE, steps=10_000_000),
    "Go1Rough-v0": replace(UNITREE, steps=16_000_000),
    "G1Velocity-v0": replace(
        UNITREE,
        steps=10_000_000,
        n_steps=24,
        batch_size=3072,
        n_epochs=4,
        learning_rate=7e-4,
        gamma=0.98,
        ent_coef=0.003,
        log_std_init=-0.7,
    ),
    "G1Tracking-v0": replace(UNITREE, steps=12_000_000),
    "HandTurn-v0": replace(ROBOT, steps=4_000_000, gamma=0.98, ent_coef=0.004),
}

# The same for off-policy algorithms: smaller batches and fewer gradient steps than usual.
TQC = TruncatedQuantiles(n_envs=20, batch_size=128, learning_rate=7e-4)
TD3 = TwinDelayed(n_envs=20, batch_size=128, learning_rate=1e-3)
# Tasks of the suite: returns of some steps, and worlds that explore less to more, by noise that
# goes on. Without these, cartpole-swingup comes to 377 rather than 849.
FAST_SUITE = FastSoftActorCritic(
    steps=2_000_000, gradient_steps=2, n_steps=3, learning_rate_schedule="linear",
    noise=0.05, noise_most=0.8, noise_correlation=0.5,
)  # fmt: skip
OFF_POLICY_TABLE: dict[str, OffPolicy] = {
    **{task.id: FAST_SUITE for task in registration.SUITE if task.max_episode_steps},
    # More gradient steps, for more joints: it stands after 1.5 million steps.
    "humanoid-stand-v0": replace(FAST_SUITE, gradient_steps=4),
    # A target that is seldom met: 928, and 732 with the settings of the other tasks.
    "finger-turn_easy-v0": replace(
        FAST_SUITE, steps=4_000_000, batch_size=2048, tau=0.02, net_arch=(128, 128),
        ent_coef_init=0.01, noise=0.1,
    ),
    # Goals that are seldom reached: large batches of what is known in hindsight, little entropy.
    "FetchPush-v4": FastSoftActorCritic(
        steps=1_200_000, gradient_steps=2, batch_size=2048, gamma=0.98, tau=0.02,
        net_arch=(128, 128), ent_coef_init=0.01, noise=0.1, noise_most=0.8,
    ),
    "HalfCheetah-v5": replace(TQC, gradient_steps=8),
    "Hopper-v5": replace(TQC, steps=600_000, gradient_steps=6, dropped=5),
    "Walker2d-v5": replace(TD3, steps=600_000, gradient_steps=10),
}  # fmt: skip

# The same for augmented random search.
SEARCH = RandomSearch()
SEARCH_TABLE: dict[str, RandomSearch] = {
    "Swimmer-v5": RandomSearch(
        steps=1_000_000, n_delta=8, n_top=2, delta_std=0.1, learning_rate=0.06
    ),
    "Hopper-v5": replace(SEARCH, n_top=8, learning_rate=0.03, alive_bonus_offset=-1.0),
    "HalfCheetah-v5": replace(
        SEARCH, steps=5_000_000, n_top=8, delta_std=0.08, learning_rate=0.03
    ),
    # Those of the paper.
    "Walker2d-v5": RandomSearch(
        steps=4_000_000, n_delta=40, n_top=30, delta_std=0.025, learning_rate=0.03,
        alive_bonus_offset=-1.0,
    ),
}  # fmt: skip

# The same for Stable-Baselines3's PPO.
STABLE_TABLE = {
    "InvertedPendulum-v5": replace(STABLE, steps=200_000, n_steps=32),
    "HalfCheetah-v5": replace(
        STABLE,
        steps=1_000_000,
        learning_rate=1e-3,
        gamma=0.98,
        gae_lambda=0.92,
        log_std_init=-1.0,
    ),
    "Ant-v5": replace(STABLE, steps=5_000_000),
}


def names(algorithm: str = "PPO") -> list[str]:
    """Names of the settings of an algorithm."""
    row = hyperparameters("", algorithm)
    return [field.name for field in fields(row)]


def hyperparameters(env_id: str, algorithm: str = "PPO", **changes: Any) -> Settings:
    """Settings for an environment: its row of the table, or the defaults, with changes.

    Args:
        env_id: such as "mjenv/HalfCheetah-v5".
        algorithm: "PPO", "SAC", "FastSAC", "TQC", "TD3" or "ARS"; "SB3-..." for Stable-Baselines3's
            own of each but "FastSAC" and "ARS"; "SelfPlay" of tasks of several agents, "DrQ" for
            agents that see pictures.
        **changes: settings to replace; those that are None are left as they are.

    Raises:
        ValueError: for another algorithm, or a setting that it does not have or cannot have.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm: found {algorithm!r}, expected one of {ALGORITHMS}")
    # rows by algorithm: of this environment where there is one
    name = env_id.rpartition("/")[2]
    rows: dict[str, Settings] = {
        "PPO": TABLE.get(name, DEFAULTS),
        "SelfPlay": SelfPlay(),
        "SB3-RecurrentPPO": StableRecurrent(),
        "SB3-PPO": STABLE_TABLE.get(name, STABLE),
        "ARS": SEARCH_TABLE.get(name, SEARCH),
        "DrQ": FromPictures(),
        **OFF_POLICY,
    }
    if name in OFF_POLICY_TABLE:
        rows[OFF_POLICY_TABLE[name].algorithm] = OFF_POLICY_TABLE[name]
    return changed_settings(rows[algorithm], **changes)


def changed_settings(row: Settings, **changes: Any) -> Settings:
    """Settings with changes by name, those of the command line among them; None changes nothing.

    Raises:
        ValueError: the algorithm has no such setting, or cannot have the value.
    """
    known = [field.name for field in fields(row)]
    for name in changes:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {known}"
            raise ValueError(f"{name}: no setting of {row.algorithm}; {hint}")
    return replace(row, **{name: value for name, value in changes.items() if value is not None})
