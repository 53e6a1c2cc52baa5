"""An environment's own step and reset, run once on symbols.

`following.py` is the way from an environment to what its step records, with the symbols of
`given.py` and the results of `results.py`; `kept.py` keeps that on disk.
"""
