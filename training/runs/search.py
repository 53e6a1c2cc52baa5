"""A folder with a search for settings: its trials, what it was begun with, and who has it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.randomization import literals
from mjenv.system import packages
from mjenv.training.runs.files import remove
from mjenv.training.runs.lock import held

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.samplers import BaseSampler

STARTUP = 4  # trials that are not cut off, for those that follow to be compared with
STUDY = "study.log"
BEST = "best.json"
OWN = "ray"  # folder of Ray Tune's own files
BEGUN = "begun"  # attribute of the study: what the search was begun with
DEFAULTS = {"minutes": 2.0, "seed": 0, "algorithm": "PPO"}  # where nothing else is said


@dataclass(frozen=True)
class Tuning:
    """A folder with a search.

    ```
    study.log     trials so far, from which a search in the same folder continues
    best.json     settings and return of the best one
    ```
    """

    folder: Path
    env_id: str

    def study(self) -> "Study":
        """The trials there are; Optuna's warnings and notes stay away.

        Raises:
            ValueError: the folder has a search of another environment.
        """
        # a journal is a file that several processes may append to
        optuna = packages.load("optuna", "a search")
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        storage = JournalStorage(JournalFileBackend(str(self.folder / STUDY)))
        # one study in a folder
        for name in optuna.get_all_study_names(storage):
            if name != self.env_id:
                raise ValueError(
                    f"{self.folder}: has a search of {name}, expected {self.env_id}; name another "
                    "folder"
                )
        return optuna.create_study(
            study_name=self.env_id,
            storage=storage,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=STARTUP, n_warmup_steps=1),
            direction="maximize",
            load_if_exists=True,
        )

    @contextmanager
    def opened(self) -> Iterator["Study"]:
        """Hold the folder and go on with the search; nothing is left where no trial is over.

        Trials that were under way when a search was stopped are tried first.

        Raises:
            ValueError: the folder has a search of another environment.
            FileExistsError: another process has it.
        """
        with held(self.folder):
            study = self.study()
            _try_again(study)
            try:
                yield study
            finally:
                if not over(study):
                    for name in (STUDY, STUDY + ".lock", OWN):
                        remove(self.folder / name)


def agree(tuning: Tuning, study: "Study", **given: Any) -> dict[str, Any]:
    """Check that a search is continued with the settings that it was begun with.

    Args:
        tuning: the search.
        study: its trials.
        **given: `minutes` of a trial, `seed` and `algorithm`, where None is what the search has, or
            the default for one that begins; `env_kwargs`.

    Returns:
        The minutes, the seed and the algorithm.

    Raises:
        ValueError: the search was begun with others.
    """
    # a new search remembers what it begins with
    kwargs = {name: literals.write(name, value) for name, value in given["env_kwargs"].items()}
    begun = study.user_attrs.get(BEGUN)
    if begun is None:
        chosen = {name: given[name] for name in DEFAULTS if given[name] is not None}
        begun = {**DEFAULTS, **chosen, "env_kwargs": kwargs}
        study.set_user_attr(BEGUN, begun)
    begun = {**DEFAULTS, **begun}
    # one that goes on has to be the same, or returns could not be compared
    for name, value in {**given, "env_kwargs": kwargs}.items():
        if value is not None and value != begun[name]:
            raise ValueError(
                f"{tuning.folder}: has a search with {name} {begun[name]!r}, found {value!r}; "
                "continue with the same, or name another folder"
            )
    return {name: begun[name] for name in DEFAULTS}


def over(study: "Study") -> list[Any]:
    """Trials that have come to their end, or were cut off."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))


def ask(study: "Study", seed: int) -> "Trial":
    """The next trial: what it draws depends on the seed, its number, and the trials before.

    So a search that goes on draws what one would that was not stopped.
    """
    study.sampler = _sampler(seed, len(study.get_trials(deepcopy=False)))
    return study.ask()


def _sampler(seed: int, number: int) -> "BaseSampler":
    """Sampler of the settings of a trial."""
    from optuna.samplers import TPESampler

    words = np.random.SeedSequence((seed, number)).generate_state(1)
    return TPESampler(seed=int(words[0]), n_startup_trials=STARTUP)


def _try_again(study: "Study") -> None:
    """Have trials that a process has left behind tried before others."""
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        study.enqueue_trial({**trial.system_attrs.get("fixed_params", {}), **trial.params})
