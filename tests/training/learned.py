"""What trainings have learned, to compare them."""

import torch

from mjenv.training.agent import Agent


def numbers(run):
    """All that a training has learned: parameters, optimizers, normalization."""
    agent = Agent.load(run)
    parameters = agent.model.get_parameters()
    found = dict(parameters.pop("policy"))
    for optimizer, content in parameters.items():
        for k, state in content["state"].items():
            found.update({f"{optimizer} {k} {name}": value for name, value in state.items()})
    if hasattr(agent.model, "log_ent_coef"):
        found["log_ent_coef"] = agent.model.log_ent_coef.detach()
    for name in ("obs_rms", "ret_rms") if agent.normalize.norm_obs else ("ret_rms",):
        rms = getattr(agent.normalize, name)
        found.update({f"{name} {x}": torch.tensor(getattr(rms, x)) for x in ("mean", "var")})
    return found
