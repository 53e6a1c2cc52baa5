"""Settings and steps of long trainings: what a task comes to where minutes are not spared."""

from dataclasses import replace

from mjenv.training.hyperparameters import SEARCH_TABLE, TABLE
from mjenv.training.settings import Settings

# By the environment's id without its namespace. docs/curves.md has what each of them reaches.
LONG: dict[str, Settings] = {
    # A horizon long enough for a leap that ends the episode to matter. Batches half as large and
    # less noise at the start: no seed stays behind. Leaps that nearly end an episode end one in
    # training: few come near to it.
    "Ant-v5": replace(
        TABLE["Ant-v5"],
        steps=36_000_000,
        batch_size=1024,
        gamma=0.99,
        gae_lambda=0.9,
        log_std_init=-1.3,
        training_env_kwargs={"healthy_z_range": (0.2, 0.95)},
    ),
    "HalfCheetah-v5": replace(TABLE["HalfCheetah-v5"], steps=60_000_000),
    # Noise as wide as the actions at the start: no seed stays sitting. A shorter horizon and
    # smaller networks: none stays kneeling, either.
    "HumanoidStandup-v5": replace(
        TABLE["HumanoidStandup-v5"],
        steps=8_000_000,
        gamma=0.99,
        gae_lambda=0.9,
        net_arch=(128, 64),
        log_std_init=0.0,
    ),
    # A linear policy suffices, and random search found it with each of five seeds: in wide steps
    # of policies far apart, the last of them small and near.
    "Swimmer-v5": replace(
        SEARCH_TABLE["Swimmer-v5"],
        steps=8_000_000,
        delta_std=0.4,
        delta_std_final=0.05,
        learning_rate_schedule="linear",
    ),
    # A horizon long enough for a fall to matter when speed is gathered: every seed walks.
    "Walker2d-v5": replace(TABLE["Walker2d-v5"], steps=30_000_000, gamma=0.995),
}


def long_training(env_id: str, algorithm: str | None = None) -> Settings:
    """Settings of an environment's long training, which choose its algorithm.

    Args:
        env_id: such as "mjenv/Walker2d-v5".
        algorithm: None, or the name of that algorithm.

    Raises:
        ValueError: the environment has none, or one with another algorithm.
    """
    name = env_id.rpartition("/")[2]
    if name not in LONG:
        raise ValueError(
            f"--long: {name} has no long training, expected one of {', '.join(LONG)}; use --steps"
        )
    row = LONG[name]
    if algorithm not in (None, row.algorithm):
        raise ValueError(
            f"--long: that of {name} is by {row.algorithm}, found --algorithm {algorithm}; leave "
            "one of them out"
        )
    return row
