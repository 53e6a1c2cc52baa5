"""Settings of each algorithm: their names, their defaults, and what they have to be."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Any, ClassVar, TypeAlias


def _count(low: int) -> tuple[str, Callable[[Any], bool]]:
    return f"a whole number from {low}", lambda x: type(x) is int and x >= low


def _number(what: str, right: Callable[[float], bool]) -> tuple[str, Callable[[Any], bool]]:
    return what, lambda x: type(x) in (int, float) and isfinite(x) and right(x)


def _widths(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(x) is int and x > 0 for x in value)


def _optional(one: tuple[str, Callable[[Any], bool]]) -> tuple[str, Callable[[Any], bool]]:
    return f"{one[0]}, or None", lambda x: x is None or one[1](x)


def _arguments(value: Any) -> bool:
    """Whether a value is a dict of keyword arguments that a file of JSON can hold."""
    return isinstance(value, dict) and all(
        type(name) is str and _plain(one) for name, one in value.items()
    )


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, bool | int | float | str) or _arguments(value)


def _one_of(*words: str) -> tuple[str, Callable[[Any], bool]]:
    return f"one of {', '.join(words)}", lambda x: x in words


_SCHEDULE = _one_of("constant", "linear")
_POSITIVE = _number("a number above 0", lambda x: x > 0)
_SHARE = _number("a number from 0 to 1", lambda x: 0 <= x <= 1)
_CORRELATION = _number("a number from 0 to below 1", lambda x: 0 <= x < 1)
_ANY = _number("a number", lambda x: True)
_ARGUMENTS = ("a dict of keyword arguments, of numbers and words", _arguments)

# what a setting has to be
_RIGHT = {
    "steps":           _count(1),
    "n_envs":          _count(1),
    "n_steps":         _count(1),
    "batch_size":      _count(2),
    "n_epochs":        _count(1),
    "gradient_steps":  ("a whole number from 1, or -1", lambda x: x == -1 or _count(1)[1](x)),
    "buffer_size":     _count(1),
    "dropped":         _count(0),
    "hindsight":       _SHARE,
    "past":            _SHARE,
    "lstm":            _count(1),
    "past_every":      _count(1),
    "past_size":       _count(1),
    "noise":           _number("a number from 0", lambda x: x >= 0),
    "noise_most":      _optional(_POSITIVE),
    "n_delta":         _count(1),
    "n_top":           _optional(_count(1)),
    "delta_std":       _POSITIVE,
    "delta_std_final": _optional(_POSITIVE),
    "alive_bonus_offset": _ANY,
    "n_eval_episodes": _count(1),
    "frame_stack":     _count(1),
    "action_repeat":   _count(1),
    "shift":           _count(0),
    "features":        _count(1),
    "target_noise":    _number("a number from 0", lambda x: x >= 0),
    "learning_starts": _count(0),
    "learning_rate":   _POSITIVE,
    "gamma":           _SHARE,
    "gae_lambda":      _SHARE,
    "tau":             _SHARE,
    "clip_range":      _POSITIVE,
    "ent_coef":        _ANY,
    "vf_coef":         _number("a number from 0", lambda x: x >= 0),
    "max_grad_norm":   _POSITIVE,
    "log_std_init":    _ANY,
    "log_std_final":   _optional(_ANY),
    "noise_correlation": _CORRELATION,
    "init_at_random_ep_len": ("true or false", lambda x: type(x) is bool),
    "learning_rate_schedule": _SCHEDULE,
    "clip_schedule":   _SCHEDULE,
    "ent_coef_schedule": _SCHEDULE,
    "target_kl":       _optional(_POSITIVE),
    "normalize_rewards": ("true or false", lambda x: type(x) is bool),
    "normalize":       ("true or false", lambda x: type(x) is bool),
    "ent_coef_init":   _POSITIVE,
    "activation":      _one_of("tanh", "relu", "elu", "normalized_relu"),
    "critic_arch":     _optional(("widths of layers, such as (64, 64)", _widths)),
    "net_arch":        ("widths of layers, such as (64, 64)", _widths),
    "actor_group":     ("the name of a group, or None", lambda x: x is None or type(x) is str),
    "critic_group":    ("the name of a group, or None", lambda x: x is None or type(x) is str),
    "training_env_kwargs": _optional(_ARGUMENTS),
}  # fmt: skip


def _without_lists(value: Any) -> Any:
    """A value as it was before a file of JSON made its tuples lists."""
    if isinstance(value, list | tuple):
        return tuple(map(_without_lists, value))
    if isinstance(value, dict):
        return {name: _without_lists(one) for name, one in value.items()}
    return value


@dataclass(frozen=True)
class Common:
    """What settings of all algorithms have.

    Attributes:
        training_env_kwargs: keyword arguments of the worlds that are learned in, in place of the
            environment's, whose agents are evaluated and filmed without them: such as narrower
            bounds of what is healthy, or disturbances. Numbers, words, and tuples and dicts of
            them; None for the same worlds.
    """

    training_env_kwargs: dict[str, Any] | None = field(default=None, kw_only=True)

    algorithm: ClassVar[str]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = _without_lists(getattr(self, each.name))
            object.__setattr__(self, each.name, value)
            expected, right = _RIGHT[each.name]
            if not right(value) and (value is not None or each.default is not None):
                raise ValueError(f"{each.name}: found {value!r}, expected {expected}")

    def to_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


def _check_noises(settings: Any) -> None:
    """Refuse noises of which the last world's is not the greatest.

    Raises:
        ValueError: it is not.
    """
    if settings.noise_most is not None and not 0.0 < settings.noise <= settings.noise_most:
        raise ValueError(
            f"noise_most: found {settings.noise_most} with noise {settings.noise}, expected noise "
            "above 0 and noise_most at least as large"
        )


@dataclass(frozen=True)
class Hyperparameters(Common):
    """Settings of proximal policy optimization (Schulman et al., 2017).

    Names are those of Stable-Baselines3.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_envs: worlds that step together.
        n_steps: steps per world between updates.
        batch_size: samples per gradient step.
        n_epochs: passes over the samples of an update.
        learning_rate: of Adam, at the start.
        learning_rate_schedule: "linear", which falls to zero over the steps, or "constant".
        gamma: discount per step.
        gae_lambda: decay of the generalized advantage estimate.
        clip_range: bound on the change of the probability ratio, at the start.
        clip_schedule: "constant", or "linear", which falls to zero over the steps.
        target_kl: the passes of an update end where the policy has moved by one and a half times
            this Kullback-Leibler divergence; None for no limit.
        ent_coef: weight of the entropy bonus, at the start.
        ent_coef_schedule: "constant", or "linear", which falls to zero over the steps.
        vf_coef: weight of the value loss.
        max_grad_norm: bound on the norm of the gradient.
        net_arch: widths of the hidden layers, of the policy and of the value function each.
        critic_arch: widths of those of the value function; None for the same.
        activation: between layers, "tanh", "relu" or "elu".
        log_std_init: logarithm of the actions' standard deviation at the start.
        log_std_final: that at the end, to which it moves linearly over the steps; None where it is
            learned, and may become small before the task is.
        normalize_rewards: whether rewards are divided by the deviation of discounted returns.
        noise_correlation: of the actions' noise with that of the step before; 0 for none.
        init_at_random_ep_len: whether first episodes are cut off after a random number of steps,
            so that worlds whose episodes have one length do not begin them together ever after.
        actor_group: group of observations that the actor sees, of a task that has groups; None to
            choose it by its name.
        critic_group: group that the critic sees besides; likewise.
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
    learning_rate_schedule: str = "linear"
    clip_schedule: str = "constant"
    ent_coef_schedule: str = "constant"
    target_kl: float | None = None
    critic_arch: tuple[int, ...] | None = None
    activation: str = "tanh"
    normalize_rewards: bool = True
    log_std_final: float | None = None
    noise_correlation: float = 0.0
    init_at_random_ep_len: bool = False
    actor_group: str | None = None
    critic_group: str | None = None

    algorithm: ClassVar[str] = "PPO"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_envs * self.n_steps < 2:
            raise ValueError(
                f"n_steps: found {self.n_steps} of {self.n_envs} worlds, expected two samples for "
                "an update at least"
            )
        for name in ("noise_correlation", "init_at_random_ep_len", "log_std_final"):
            changed = getattr(self, name) != getattr(Hyperparameters, name)
            if changed and self.algorithm.startswith("SB3-"):
                raise ValueError(
                    f"{name}: found {getattr(self, name)}, which {self.algorithm} has not; leave "
                    "it out, or use PPO"
                )


@dataclass(frozen=True)
class SelfPlay(Hyperparameters):
    """Settings of PPO that plays all sides of a task of several agents.

    Attributes:
        past: share of the samples of episodes against earlier selves.
        past_every: updates after which the policy is remembered as one of them.
        past_size: how many are remembered.
    """

    steps: int = 20_000_000
    n_envs: int = 512
    n_steps: int = 32
    batch_size: int = 2048
    n_epochs: int = 4
    ent_coef: float = 0.002
    log_std_init: float = -0.5
    past: float = 0.25
    past_every: int = 20
    past_size: int = 8

    algorithm: ClassVar[str] = "SelfPlay"


@dataclass(frozen=True)
class StableBaselines(Hyperparameters):
    """The same settings, for the PPO of Stable-Baselines3."""

    algorithm: ClassVar[str] = "SB3-PPO"


@dataclass(frozen=True)
class StableRecurrent(Hyperparameters):
    """The same settings, for the recurrent PPO of sb3-contrib, which remembers what it has seen.

    Attributes:
        lstm: width of the memory, of the policy and of the value function each.
    """

    n_envs: int = 16
    n_steps: int = 128
    batch_size: int = 256
    learning_rate: float = 3e-4
    lstm: int = 64

    algorithm: ClassVar[str] = "SB3-RecurrentPPO"


@dataclass(frozen=True)
class OffPolicy(Common):
    """Settings of algorithms that learn from what they remember.

    Names are those of Stable-Baselines3.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_envs: worlds that step together.
        gradient_steps: after each step of all worlds; -1 for as many as there are worlds.
        buffer_size: transitions that are remembered.
        learning_starts: steps of random actions before the first gradient step.
        batch_size: samples per gradient step.
        learning_rate: of Adam, at the start.
        learning_rate_schedule: "constant", or "linear", which falls to zero over the steps.
        gamma: discount per step.
        n_steps: steps whose rewards are summed before a value stands for what follows.
        tau: how far the target networks follow in a gradient step.
        net_arch: widths of the hidden layers, of the policy and of the value functions each.
        critic_arch: widths of those of the value functions; None for the same.
        activation: between layers, "tanh", "relu", "elu", or "normalized_relu": layer normalization
            without parameters, and ReLU.
        normalize: whether observations are brought to mean 0 and variance 1, and rewards divided by
            the deviation of discounted returns.
        actor_group: group of observations that is learned from, of a task that has groups; None to
            choose it by its name.
        hindsight: share of the samples whose goals are replaced by ones that were reached later, of
            a task that has goals.
        noise: deviation of what is added to the actions while it explores, of actions from -1 to 1.
        noise_most: that of the last world; deviations of those between are a geometric series from
            `noise`. None for the same in all.
        noise_correlation: of that noise with that of the step before; 0 for none.
    """

    steps: int = 1_000_000
    n_envs: int = 4
    gradient_steps: int = -1
    buffer_size: int = 1_000_000
    learning_starts: int = 10_000
    batch_size: int = 256
    learning_rate: float = 3e-4
    gamma: float = 0.99
    n_steps: int = 1
    tau: float = 0.005
    net_arch: tuple[int, ...] = (256, 256)
    learning_rate_schedule: str = "constant"
    critic_arch: tuple[int, ...] | None = None
    activation: str = "relu"
    normalize: bool = False
    actor_group: str | None = None
    hindsight: float = 0.8
    noise: float = 0.0
    noise_most: float | None = None
    noise_correlation: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_noises(self)


@dataclass(frozen=True)
class Entropic(OffPolicy):
    """Settings of algorithms that weigh the policy's entropy.

    Attributes:
        ent_coef_init: the weight at the start, where it is learned.
        ent_coef: the weight, at the start, where it is not learned; None to learn it.
        ent_coef_schedule: of that: "constant", or "linear", which falls to zero over the steps.
    """

    ent_coef_init: float = 1.0
    ent_coef: float | None = None
    ent_coef_schedule: str = "constant"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ent_coef is None and self.ent_coef_schedule != "constant":
            raise ValueError(
                f"ent_coef_schedule: found '{self.ent_coef_schedule}', expected 'constant' where "
                "the weight of the entropy is learned; add ent_coef for one that is not"
            )
        if self.ent_coef is not None and self.ent_coef < 0.0:
            raise ValueError(f"ent_coef: found {self.ent_coef}, expected a number from 0")


@dataclass(frozen=True)
class SoftActorCritic(Entropic):
    """Soft actor-critic (Haarnoja et al., 2018)."""

    algorithm: ClassVar[str] = "SAC"


@dataclass(frozen=True)
class FastSoftActorCritic(SoftActorCritic):
    """Soft actor-critic with much data and few gradient steps: one per step of all worlds.

    Layers, observations and rewards are normalized, so that a large learning rate holds. The ideas
    are those of parallel Q-learning (Li et al., 2023), CrossQ (Bhatt et al., 2024), SimBa (Lee et
    al., 2025) and FastSAC (Seo et al., 2025).
    """

    steps: int = 6_400_000
    n_envs: int = 64
    gradient_steps: int = 1
    learning_starts: int = 5_000
    learning_rate: float = 1e-3
    activation: str = "normalized_relu"
    normalize: bool = True
    ent_coef_init: float = 0.1

    algorithm: ClassVar[str] = "FastSAC"


@dataclass(frozen=True)
class TruncatedQuantiles(Entropic):
    """Truncated quantile critics (Kuznetsov et al., 2020).

    Soft actor-critic, whose two critics say 25 quantiles each, of which the greatest are dropped.

    Attributes:
        dropped: quantiles of each critic that are not believed.
    """

    dropped: int = 2

    algorithm: ClassVar[str] = "TQC"


@dataclass(frozen=True)
class TwinDelayed(OffPolicy):
    """Twin delayed deep deterministic policy gradients (Fujimoto et al., 2018).

    The policy learns in every second gradient step.
    """

    noise: float = 0.1

    algorithm: ClassVar[str] = "TD3"

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = self.n_envs if self.gradient_steps == -1 else self.gradient_steps
        if steps % 2:
            raise ValueError(f"gradient_steps: found {steps}, expected an even number, or -1")


@dataclass(frozen=True)
class StableSoftActorCritic(SoftActorCritic):
    """The same settings, for the SAC of Stable-Baselines3."""

    algorithm: ClassVar[str] = "SB3-SAC"


@dataclass(frozen=True)
class StableTruncatedQuantiles(TruncatedQuantiles):
    """The same settings, for the TQC of sb3-contrib."""

    algorithm: ClassVar[str] = "SB3-TQC"


@dataclass(frozen=True)
class StableTwinDelayed(TwinDelayed):
    """The same settings, for the TD3 of Stable-Baselines3."""

    algorithm: ClassVar[str] = "SB3-TD3"


@dataclass(frozen=True)
class RandomSearch(Common):
    """Settings of augmented random search (Mania, Guy and Recht, 2018), its version V2-t.

    Names are those of sb3-contrib. There are 2 * `n_delta` * `n_eval_episodes` worlds.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_delta: random directions of an iteration, N in the paper.
        n_top: best of them that the policy is moved along, b; None for all.
        delta_std: how far perturbed policies are from the policy, ν, at the start.
        delta_std_final: that at the end, to which it moves linearly over the steps; None for the
            same.
        learning_rate: step size at the start, α.
        learning_rate_schedule: "constant", or "linear", which falls to zero over the steps.
        alive_bonus_offset: added to each reward in the search, such as -1 where a reward of 1 for
            survival would have policies stand still.
        n_eval_episodes: of each perturbed policy, in a world each.
    """

    steps: int = 2_000_000
    n_delta: int = 32
    n_top: int | None = None
    delta_std: float = 0.03
    delta_std_final: float | None = None
    learning_rate: float = 0.02
    learning_rate_schedule: str = "constant"
    alive_bonus_offset: float = 0.0
    n_eval_episodes: int = 1

    algorithm: ClassVar[str] = "ARS"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_top is not None and self.n_top > self.n_delta:
            raise ValueError(f"n_top: found {self.n_top}, expected at most n_delta, {self.n_delta}")

    @property
    def n_envs(self) -> int:
        """Worlds that step together."""
        return 2 * self.n_delta * self.n_eval_episodes


@dataclass(frozen=True)
class FromPictures(Common):
    """Settings of an agent that sees pictures alone, learned as by DrQ-v2 (Yarats et al., 2021).

    Which pictures is the environment's: `pixels` of `env_kwargs`.

    Attributes:
        steps: environment steps in total, over all worlds.
        n_envs: worlds that step together.
        gradient_steps: after each action of all worlds; -1 for as many as there are worlds.
        action_repeat: environment steps under each action.
        frame_stack: pictures of the last actions that are seen together.
        buffer_size: transitions that are remembered.
        learning_starts: steps of random actions before the first gradient step.
        batch_size: samples per gradient step.
        learning_rate: of Adam, at the start.
        learning_rate_schedule: "constant", or "linear", which falls to zero over the steps.
        gamma: discount per action.
        n_steps: actions whose rewards are summed before a value stands for what follows.
        tau: how far the target networks follow in a gradient step.
        shift: pixels that remembered pictures are moved by at most when they are drawn.
        noise: deviation of what is added to the actions while it explores, of actions from -1 to 1.
        noise_most: that of the last world; deviations of those between are a geometric series from
            `noise`. None for the same in all.
        target_noise: that of the actions of targets, which is cut off at 0.3.
        features: numbers that what is seen becomes.
        net_arch: widths of the hidden layers behind these, and of those of the value functions.
    """

    steps: int = 500_000
    n_envs: int = 16
    gradient_steps: int = 1
    action_repeat: int = 2
    frame_stack: int = 3
    buffer_size: int = 200_000
    learning_starts: int = 4_000
    batch_size: int = 128
    learning_rate: float = 1e-3
    learning_rate_schedule: str = "linear"
    gamma: float = 0.99
    n_steps: int = 3
    tau: float = 0.01
    shift: int = 1
    noise: float = 0.1
    noise_most: float | None = 0.8
    target_noise: float = 0.2
    features: int = 64
    net_arch: tuple[int, ...] = (256, 256)

    algorithm: ClassVar[str] = "DrQ"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_noises(self)
        least = self.n_envs * (self.frame_stack + self.n_steps)
        if self.buffer_size < least:
            raise ValueError(
                f"buffer_size: found {self.buffer_size}, expected at least {least}: the pictures "
                f"before and the actions behind a sample of each of {self.n_envs} worlds"
            )


Settings: TypeAlias = Hyperparameters | OffPolicy | RandomSearch | FromPictures
