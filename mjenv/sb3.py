"""Stable-Baselines3 on vector environments of mjenv; needs the packages of `mjenv[train]`."""

from mjenv.system.packages import needed

with needed("mjenv.sb3"):
    from mjenv.training.runs.progress import RewardTerms
    from mjenv.training.worlds.vec_env import NativeVecEnv

__all__ = ["NativeVecEnv", "RewardTerms"]
