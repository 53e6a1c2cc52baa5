"""An environment's own step and reset, run once on symbols.

`following.py` is the way from an environment to what its step records; `kept.py` keeps that on
disk.
"""
