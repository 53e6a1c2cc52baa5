"""Rollouts and trainings on more than one machine; needs the packages of `mjenv[ray]`."""

from mjenv.packages import needed

with needed("mjenv.cluster"):
    from mjenv.training.cluster.datasets import minari_dataset
    from mjenv.training.cluster.fleet import Cluster
    from mjenv.training.cluster.rollouts import Totals, rollout

__all__ = ["Cluster", "Totals", "minari_dataset", "rollout"]
