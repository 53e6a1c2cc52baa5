"""Behaviour cloning: a policy begins by doing what was done in recorded episodes."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from mjenv.training.agent import Agent
from mjenv.training.learners.demonstrations import Demonstrations

ALGORITHMS = ("PPO", "SB3-PPO")
PASSES, BATCH, RATE = 200, 256, 1e-3
PATIENCE = 10  # passes without a smaller error of what is held back
HELD = 0.1  # share of the steps that is held back
LEAST = 0.1  # deviation of actions that is left, for what is learned afterwards


def clone(agent: Agent, shown: Demonstrations, seed: int) -> str:
    """Fit the networks of an agent of PPO to recorded episodes.

    The actor maximizes the likelihood of the actions, of normal distributions; where rewards are
    known, the critic fits their discounted sums. Observations are normalized by the means and
    deviations of the episodes, rewards by that of their running sums, with which training goes on.

    Args:
        agent: untrained; its policy and its normalization change.
        shown: the episodes.
        seed: of what is held back, and of the order of the samples.

    Returns:
        What came of it, in a line.
    """
    model: Any = agent.model
    # training goes on with these statistics of observations and rewards
    rms: Any = agent.normalize.obs_rms
    rms.update(shown.observations.astype(float))
    rows = [
        torch.as_tensor(np.asarray(agent.normalize.normalize_obs(shown.observations), np.float32)),
        torch.as_tensor(shown.actions),
        *_sums(agent, shown, model.gamma),
    ]
    # a part of the steps is held back, to tell fitting from memorizing
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(shown.actions), generator=generator)
    kept = max(1, int(HELD * len(order)))
    held, taken = ([one[part] for one in rows] for part in (order[:kept], order[kept:]))
    first, last = _fit(model.policy, taken, held, generator)
    # the noise of exploration begins as large as the error
    with torch.no_grad():
        error = held[1] - _means(model.policy, held[0])
        model.policy.log_std.copy_(error.square().mean(0).sqrt().clamp(LEAST, 1.0).log())
    return (
        f"{len(shown.lengths)} episodes, {len(order):,} steps: actions are missed by {last:.3f} "
        f"(root mean square) in those held back, {first:.3f} before"
    )


def _sums(agent: Agent, shown: Demonstrations, gamma: float) -> list[Tensor]:
    """Targets of the critic in each step, and their weights, (n,) each."""
    n = len(shown.actions)
    if shown.rewards is None:
        return [torch.zeros(n), torch.zeros(n)]
    ahead, known, behind = shown.returns(gamma)
    agent.normalize.ret_rms.update(behind)
    ahead = ahead / np.sqrt(agent.normalize.ret_rms.var + agent.normalize.epsilon)
    return [torch.as_tensor(x, dtype=torch.float32) for x in (ahead, known)]


def _means(policy: Any, observations: Tensor) -> Tensor:
    return policy.action_net(policy.mlp_extractor.forward_actor(observations))


def _fit(
    policy: Any, taken: list[Tensor], held: list[Tensor], generator: torch.Generator
) -> tuple[float, float]:
    """Fit both networks; root mean square errors of actions held back, before and after.

    The networks of the least error are taken; fitting stops when it no longer falls.
    """
    parameters = [one for name, one in policy.named_parameters() if name != "log_std"]
    optimizer = torch.optim.Adam(parameters, lr=RATE)

    def errors(rows: list[Tensor]) -> tuple[Tensor, Tensor]:
        observations, actions, sums, known = rows
        values = policy.predict_values(observations)[:, 0]
        missed = (_means(policy, observations) - actions).square().mean()
        return missed, (known * (values - sums).square()).mean()

    def missed() -> float:
        with torch.no_grad():
            return float(errors(held)[0].sqrt())

    first = least = missed()
    best, since = [one.detach().clone() for one in parameters], 0
    for _ in range(PASSES):
        order = torch.randperm(len(taken[1]), generator=generator)
        for part in order.split(BATCH):
            # gradients stay where they are: others have views of them
            optimizer.zero_grad(set_to_none=False)
            sum(errors([one[part] for one in taken]), torch.zeros(())).backward()
            optimizer.step()
        now, since = missed(), since + 1
        if now < least:
            least, best, since = now, [one.detach().clone() for one in parameters], 0
        if since >= PATIENCE:
            break
    with torch.no_grad():
        for one, value in zip(parameters, best, strict=True):
            one.copy_(value)
    return first, least


def check_demonstrations(algorithm: str, agent: Agent | None = None) -> None:
    """Refuse what cannot begin with demonstrations.

    Raises:
        ValueError: it is another algorithm, or observations are in groups.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(
            f"demonstrations: found {algorithm}, which cannot start from them, expected "
            f"{' or '.join(ALGORITHMS)}"
        )
    if agent is not None and agent.view.to_dict():
        raise ValueError(
            "demonstrations: the environment's observations are in groups, expected one vector; "
            "leave `groups` out of the task to clone"
        )
