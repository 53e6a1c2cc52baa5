"""Run folders: where everything that belongs to one training run lies."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mjenv.gym import lookup
from mjenv.randomization import literals
from mjenv.training.runs.files import remove, whole

CONFIG = "config.json"
COMMAND = "command.json"
RESULT = "result.json"
EVAL = "eval.json"
BEST = "best"
PROGRESS = "progress.json"
VIDEO = "video.mp4"
BOARD = "wandb.json"

# all that training writes into the folder; other files in it are none of its business
_OWN = (
    CONFIG,
    COMMAND,
    RESULT,
    EVAL,
    "agent.zip",
    "agent.npz",
    "normalize.pkl",
    "checkpoints",
    "code",
    "progress.csv",
    "episodes.csv",
    "evaluations.csv",
    BEST,
    "curve.png",
    VIDEO,
    BOARD,
    "wandb",
)
_OWN_PATTERNS = ("events.out.tfevents.*", ".*.part*")


@dataclass(frozen=True)
class Saved:
    """A folder with an agent: a run's own, or a checkpoint's."""

    folder: Path

    @property
    def agent(self) -> Path:
        """The trained agent."""
        return self.folder / "agent.zip"

    @property
    def normalize(self) -> Path:
        """Statistics with which the agent's observations are normalized."""
        return self.folder / "normalize.pkl"

    def write(self, name: str, content: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        with whole(self.folder / name) as partial:
            partial.write_text(json.dumps(content, indent=2) + "\n")


@dataclass(frozen=True)
class Checkpoint(Saved):
    """The agent as it was on the way: `checkpoints/<steps>` of a run, whole or not there.

    ```
    agent.zip         the agent
    normalize.pkl     means and variances of its observations
    state.pkl         worlds and random generators, of a training that can be resumed
    ../replay.bin     all transitions so far, of an off-policy one that has not finished
    video.mp4         a film, of a training with films, once it is written
    progress.json     steps so far, of how many, and minutes
    ```
    """

    @property
    def state(self) -> Path:
        """File of the state that a training is resumed from, beside the agent."""
        return self.folder / "state.pkl"

    @property
    def transitions(self) -> Path:
        """Transitions for off-policy algorithms; one file for all checkpoints of a run."""
        return self.folder.parent / "replay.bin"

    def progress(self) -> dict[str, Any]:
        """Progress of the training at this checkpoint.

        Raises:
            ValueError: the file is none that training has written.
        """
        try:
            return json.loads((self.folder / PROGRESS).read_text())
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{self.folder / PROGRESS}: cannot be read ({error}), expected what training has "
                "written; resume from another checkpoint"
            ) from error

    @property
    def steps(self) -> int:
        """Environment steps after which it was made."""
        name = self.folder.name
        return int(name) if name.isdigit() else int(self.progress()["steps"])


@dataclass(frozen=True)
class Run(Saved):
    """A folder with the agent, its configuration and what was recorded.

    ```
    config.json       environment, seed, hyperparameters, versions
    command.json      options of the command that repeats it, for `mjenv train --config`
    result.json       returns before and after training
    eval.json         returns of `mjenv eval`
    agent.zip         the trained agent, once training has finished
    normalize.pkl     means and variances of its observations
    checkpoints/      agents on the way, a folder each, named by the steps
    progress.csv      the training log; events.out.* for TensorBoard
    episodes.csv      return, length and sums of the reward's terms of each episode
    evaluations.csv   returns of evaluations on the way, if there were any
    best/             the agent that was best in them
    curve.png         the learning curve
    video.mp4         the trained agent
    wandb.json        project and number of the run at Weights & Biases, wandb/ its files
    ```
    """

    @classmethod
    def open(cls, folder: str | Path) -> "Run":
        """The run in a folder.

        Raises:
            FileNotFoundError: there is no run.
        """
        run = cls(Path(folder))
        if not (run.folder / CONFIG).exists():
            found = f"no {CONFIG} there" if run.folder.is_dir() else "no such folder"
            raise FileNotFoundError(
                f"{folder}: {found}, expected the folder of a run, such as runs/...; "
                "`mjenv train` makes one"
            )
        return run

    @property
    def log(self) -> Path:
        """The training log, a row per update."""
        return self.folder / "progress.csv"

    @property
    def episodes(self) -> Path:
        """The table of episodes."""
        return self.folder / "episodes.csv"

    @property
    def evaluations(self) -> Path:
        """The table of evaluations on the way."""
        return self.folder / "evaluations.csv"

    @property
    def curve(self) -> Path:
        """The picture of the learning curve."""
        return self.folder / "curve.png"

    @property
    def video(self) -> Path:
        """The film of the trained agent."""
        return self.folder / VIDEO

    @property
    def finished(self) -> bool:
        """True if the trained agent is there."""
        return self.agent.exists() and self.normalize.exists()

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """Agents on the way, the earliest first."""
        folders = (self.folder / "checkpoints").glob("[0-9]*")
        found = [Checkpoint(folder) for folder in folders if folder.name.isdigit()]
        return sorted(found, key=lambda checkpoint: checkpoint.steps)

    def checkpoint(self, which: int | str = "last") -> Checkpoint:
        """A checkpoint by its steps, or the "last" one, or the "best" of the evaluations.

        Raises:
            FileNotFoundError: there is none, or not this one.
        """
        # the best of the evaluations has a folder of its own
        if which == BEST:
            if not (self.folder / BEST).is_dir():
                raise FileNotFoundError(
                    f"{self.folder}: found no evaluations during training, expected a run with "
                    "--eval-every; take the trained one, or --checkpoint N"
                )
            return Checkpoint(self.folder / BEST)
        # the others by their number of steps
        found = self.checkpoints
        if not found:
            raise FileNotFoundError(
                f"{self.folder}: no checkpoint there yet; training writes the first one after its "
                "first update"
            )
        if which == "last":
            return found[-1]
        chosen = [checkpoint for checkpoint in found if str(checkpoint.steps) == str(which)]
        if not chosen:
            steps = ", ".join(str(checkpoint.steps) for checkpoint in found)
            raise FileNotFoundError(
                f"{self.folder}: no checkpoint {which} there, expected 'last' or one of {steps}"
            )
        return chosen[0]

    def environment(self, trust: bool = False) -> tuple[str, dict[str, Any]]:
        """The environment that the agent was trained in, and its keyword arguments.

        Args:
            trust: whether a module that the run brings may be executed.

        Raises:
            ValueError: it cannot be found any more, or such a module would be executed.
        """
        config = self.config()
        written = config.get("env_kwargs", {})
        env_kwargs = {name: literals.read(text) for name, text in written.items()}
        if not trust:
            lookup.check_modules(self.folder, config["env"], config.get("origin"), env_kwargs)
        return lookup.find_again(config["env"], config.get("origin")), env_kwargs

    def config(self) -> dict[str, Any]:
        """Configuration that the run was started with.

        Raises:
            ValueError: the file is none that training has written.
        """
        try:
            config = json.loads((self.folder / CONFIG).read_text())
        except ValueError:
            config = None
        known = config if isinstance(config, dict) else {}
        if not all(isinstance(known.get(name), str) for name in ("env", "algorithm")):
            raise ValueError(
                f"{self.folder / CONFIG}: no configuration of a run, expected what `mjenv train` "
                "writes: JSON with the environment and the algorithm"
            )
        return known

    def reopen(self) -> None:
        """Have a run that has finished be one on the way again, with its last checkpoint."""
        for path in (self.agent, self.normalize, self.folder / RESULT):
            remove(path)

    def clear(self) -> None:
        """Remove what a run has left in the folder; other files stay."""
        paths = [self.folder / name for name in _OWN]
        for pattern in _OWN_PATTERNS:
            paths += self.folder.glob(pattern)
        for path in paths:
            remove(path)
