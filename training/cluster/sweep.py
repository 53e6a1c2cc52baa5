"""Trials of a search on a Ray cluster: Ray Tune runs them, a study of Optuna's asks for them."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from mjenv.system import packages
from mjenv.training.cluster.worker_pool import Cluster, joined, threads_of
from mjenv.training.runs.search import OWN

if TYPE_CHECKING:
    from optuna import Study, Trial

RETRIES = 3  # of a trial whose process is lost; what goes wrong in it is not tried again
# what Ray Tune would write and change besides
QUIET = {
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_AIR_NEW_OUTPUT": "0",
}


class Reporter:
    """A trial, as what tries it sees it: what it reports goes to the study through Ray Tune."""

    def __init__(self) -> None:
        self._steps = 0

    def report(self, value: float, step: int) -> None:
        """Say how it goes; ends the process where others went better."""
        importlib.import_module("ray.tune").report({"return": value, "at": step})

    def should_prune(self) -> bool:
        """Never: the study's machine decides."""
        return False

    def set_user_attr(self, name: str, value: Any) -> None:
        """Keep how many steps it took."""
        assert name == "steps"
        self._steps = value

    def finish(self, value: float) -> None:
        """Say what came of it."""
        importlib.import_module("ray.tune").report({"return": value, "steps": self._steps})

    def fail(self, error: Exception) -> None:
        """Say that it went wrong, and would again."""
        text = f"{type(error).__name__}: {error}"
        importlib.import_module("ray.tune").report({"return": 0.0, "error": text})


def sweep(
    study: "Study",
    begin: Callable[[], tuple["Trial", Any]],
    attempt: Callable[[Any, Any, int], float],
    tell: Callable[["Trial"], None],
    trials: int,
    folder: Path,
    cluster: Cluster,
) -> None:
    """Have trials tried on a cluster.

    Args:
        study: is told what came of trials; poor ones are cut off by its pruner.
        begin: the next trial of the study, and its settings.
        attempt: return that settings bring, from what reports, the settings, and the number of
            threads; it is called in the processes of the cluster.
        tell: called with each trial that is over, when the study knows it.
        trials: how many.
        folder: of Ray Tune's own files.
        cluster: as many trials at the same time as it has workers, which share its processors.

    Raises:
        ModuleNotFoundError: Ray Tune is not installed.
        RuntimeError: trials have failed.
    """
    with joined(cluster):
        # Ray Tune prints tables and writes to other places unless it is told not to
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        tune = packages.load("ray.tune", "a search on a cluster")
        # a trial is a process with its share of the processors
        threads = threads_of(cluster.workers)
        asked = asked_class()(study, begin, tell)
        found = tune.Tuner(
            tune.with_resources(_try_one(attempt, threads), {"cpu": threads}),
            tune_config=tune.TuneConfig(
                search_alg=asked,
                num_samples=trials,
                max_concurrent_trials=cluster.workers,
                reuse_actors=True,
            ),
            run_config=tune.RunConfig(
                name=OWN,
                storage_path=str(folder.resolve()),
                stop=asked.is_poor,
                failure_config=tune.FailureConfig(max_failures=RETRIES),
                verbose=0,
            ),
        ).fit()
    # errors of the study and of the trials
    errors = asked.errors + found.errors
    if errors:
        raise RuntimeError(f"{len(errors)} of {trials} trials have failed, one with: {errors[0]}")


def _try_one(attempt: Callable[[Any, Any, int], float], threads: int) -> Callable[[Any], None]:
    """Function that a process of the cluster runs for a trial."""

    def run(config: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        reporter = Reporter()
        try:
            value = attempt(reporter, config["settings"], threads)
        except Exception as error:
            reporter.fail(error)
        else:
            reporter.finish(value)

    return run


def asked_class() -> Any:
    """The searcher of Ray Tune that asks a study; Ray is imported for it."""
    from optuna.trial import TrialState
    from ray.tune.search import Searcher  # pyright: ignore[reportMissingImports]

    # defined here, because its base class is Ray's
    class Asked(Searcher):
        """Trials of a study; what is begun and not told in its lifetime is never told."""

        def __init__(self, study: "Study", begin: Callable, tell: Callable):
            super().__init__(metric="return", mode="max")
            self._study, self._begin, self._tell = study, begin, tell
            self._open: dict[str, Trial] = {}
            self.errors: list[str] = []

        def suggest(self, trial_id: str) -> dict[str, Any]:
            self._open[trial_id], settings = self._begin()
            return {"settings": settings}

        def is_poor(self, trial_id: str, result: dict[str, Any]) -> bool:
            """True if a trial is to be cut off after what it has reported."""
            if "at" not in result or trial_id not in self._open:
                return False
            trial = self._open[trial_id]
            trial.report(result["return"], result["at"])
            return trial.should_prune()

        def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
            """The study knows it from `is_poor`."""

        # failed, finished, or cut off
        def on_trial_complete(self, trial_id: str, result: Any = None, error: bool = False) -> None:
            trial = self._open.pop(trial_id)
            if error or not result or "error" in result:
                self.errors += [] if error or not result else [result["error"]]
                self._study.tell(trial, state=TrialState.FAIL)
            elif "steps" in result:
                trial.set_user_attr("steps", result["steps"])
                self._study.tell(trial, result["return"])
            else:
                self._study.tell(trial, state=TrialState.PRUNED)
            self._tell(trial)

    return Asked
