"""Rollouts, and trainings on more than one machine; the latter needs `mjenv[ray]`."""

from mjenv.system.packages import needed

with needed("mjenv.cluster"):
    from mjenv.training.cluster.datasets import minari_dataset
    from mjenv.training.cluster.rollouts import Totals, rollout
    from mjenv.training.cluster.worker_pool import Cluster

__all__ = ["Cluster", "Totals", "minari_dataset", "rollout"]
