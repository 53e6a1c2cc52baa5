"""Run folders: where everything that belongs to one training run lies."""

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIG = "config.json"


@dataclass(frozen=True)
class Run:
    """A folder with the agent, its configuration and what was recorded.

    ```
    config.json       environment, seed, hyperparameters, versions
    result.json       returns before and after training
    agent.zip         the trained agent
    normalize.pkl     means and variances of its observations
    checkpoints/      the same two files from earlier
    progress.csv      the training log; events.out.* for TensorBoard
    curve.png         the learning curve
    video.mp4         the trained agent
    ```
    """

    folder: Path

    @classmethod
    def create(
        cls, env_id: str, folder: str | Path | None = None, overwrite: bool = False
    ) -> "Run":
        """Make the folder of a new run.

        Args:
            env_id: the environment, for the folder's name.
            folder: where to; by default runs/<environment>-<time>.
            overwrite: replace a run that lies there.

        Raises:
            FileExistsError: the folder is not empty, and is not a run that may be replaced.
        """
        if folder is None:
            folder = Path("runs") / f"{env_id.rpartition('/')[2]}-{time.strftime('%Y%m%d-%H%M%S')}"
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise FileExistsError(f"{folder}: is a file, expected a folder or nothing")
        if folder.is_dir() and any(folder.iterdir()):
            if not (folder / CONFIG).exists():
                raise FileExistsError(
                    f"{folder}: holds other files, expected an empty folder; choose another"
                )
            if not overwrite:
                raise FileExistsError(
                    f"{folder}: holds a run already; choose another folder or pass --overwrite"
                )
            shutil.rmtree(folder)
        (folder / "checkpoints").mkdir(parents=True)
        return cls(folder)

    @classmethod
    def open(cls, folder: str | Path) -> "Run":
        """The run in a folder.

        Raises:
            FileNotFoundError: there is no run, or its training has not finished.
        """
        run = cls(Path(folder))
        if not (run.folder / CONFIG).exists():
            raise FileNotFoundError(
                f"{folder}: no {CONFIG} there, expected the folder of a run, such as runs/...; "
                "`mjenv train` makes one"
            )
        return run

    @property
    def agent(self) -> Path:
        """The trained agent."""
        return self.folder / "agent.zip"

    @property
    def normalize(self) -> Path:
        """Statistics with which the agent's observations are normalized."""
        return self.folder / "normalize.pkl"

    @property
    def checkpoints(self) -> Path:
        """Folder of earlier states of the agent."""
        return self.folder / "checkpoints"

    @property
    def log(self) -> Path:
        """The training log, a row per update."""
        return self.folder / "progress.csv"

    @property
    def curve(self) -> Path:
        """The picture of the learning curve."""
        return self.folder / "curve.png"

    @property
    def video(self) -> Path:
        """The film of the trained agent."""
        return self.folder / "video.mp4"

    def write(self, name: str, content: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        (self.folder / name).write_text(json.dumps(content, indent=2) + "\n")

    def config(self) -> dict[str, Any]:
        """What the run was started with."""
        return json.loads((self.folder / CONFIG).read_text())
