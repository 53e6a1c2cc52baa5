"""The options with which `mjenv train --config` repeats a run."""

from pathlib import Path
from typing import Any

from mjenv.training.cluster.worker_pool import Cluster


def command_file(
    config: dict[str, Any], cluster: Cluster | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Options by the names that they have when typed.

    Args:
        config: of the run, as `config.json` has it.
        cluster: Ray workers that step the worlds; None for none.
        options: further ones of the training, by the names of `train`; those that are None or 0
            are as without them, but for the length of the film.
    """
    # what is None in the file is a default
    settings = {name: x for name, x in config["hyperparameters"].items() if x is not None}
    evaluations, start = config.get("evaluations", {}), config.get("start", {})
    found = {
        "env": config["env"],
        "algorithm": config["algorithm"],
        "steps": settings.pop("steps"),
        "n_envs": settings.pop("n_envs", None),  # of ARS these follow from others
        "seed": config["seed"],
        "hyperparameters": settings,
        "env_kwargs": config["env_kwargs"],
        "eval_every": evaluations.get("every"),
        "eval_episodes": evaluations.get("episodes"),
        "from": _anywhere(start.get("agent")),
        "checkpoint": start.get("checkpoint"),
        "demonstrations": _anywhere(config.get("demonstrations")),
        "policy": config.get("policy"),
        "features": config.get("features"),
        "callback": config.get("callbacks"),
        "ray": None if cluster is None else cluster.address or "here",
        "workers": None if cluster is None else cluster.workers,
        **{name: value or None for name, value in options.items()},
        "seconds": options["seconds"],
    }
    return {name: value for name, value in found.items() if value is not None and value != {}}


def _anywhere(path: str | None) -> str | None:
    """A file or a folder by a name that holds in every folder; other names stay."""
    return str(Path(path).resolve()) if path and Path(path).exists() else path
