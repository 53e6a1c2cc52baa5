"""What trainings have learned, to compare them."""

import torch

from mjenv.training.agent import Agent


def numbers(run):
    """All that a training has learned: parameters, optimizer, normalization."""
    agent = Agent.load(run)
    found = dict(agent.model.policy.state_dict())
    for k, state in agent.model.policy.optimizer.state_dict()["state"].items():
        found.update({f"adam {k} {name}": value for name, value in state.items()})
    for name in ("obs_rms", "ret_rms"):
        rms = getattr(agent.normalize, name)
        found.update({f"{name} {x}": torch.tensor(getattr(rms, x)) for x in ("mean", "var")})
    return found
