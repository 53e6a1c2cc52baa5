"""The training log at Weights & Biases, where the package wandb is installed."""

import json
import secrets
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter

from mjenv.training.runs.folders import BOARD, CONFIG, Saved


class Board(KVWriter):
    """Sends every row of the log to a run at Weights & Biases, with which a resumed one goes on.

    Args:
        folder: the folder of the run, which has its configuration.
        project: the project; None for that of the training before.

    Raises:
        ModuleNotFoundError: wandb is not installed.
        ValueError: wandb refuses, say because nobody has logged in.
    """

    def __init__(self, folder: Path, project: str | None = None):
        import wandb  # pyright: ignore[reportMissingImports]

        self._film = wandb.Video
        # the number under which a resumed training goes on
        file = folder / BOARD
        known = json.loads(file.read_text()) if file.exists() else {}
        if known.get("project", project) != project and project is not None:
            known = {}
        known = {"project": project, "id": secrets.token_hex(8), **known}
        Saved(folder).write(BOARD, known)
        try:
            self._run = wandb.init(
                project=known["project"],
                id=known["id"],
                name=folder.name,
                dir=str(folder),
                config=json.loads((folder / CONFIG).read_text()),
                resume="allow",
            )
        except wandb.errors.Error as error:
            raise ValueError(
                f"wandb: {error}; log in with `wandb login`, or set WANDB_MODE=offline"
            ) from error

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        """Send the numbers of a row."""
        kinds = (int, float, np.number)
        numbers = {name: float(v) for name, v in key_values.items() if isinstance(v, kinds)}
        self._run.log(numbers, step=step)

    def show(self, film: Path, step: int) -> None:
        """Send a film."""
        self._run.log({"film": self._film(str(film))}, step=step)

    def close(self) -> None:
        """Say that this was all."""
        self._run.finish()
