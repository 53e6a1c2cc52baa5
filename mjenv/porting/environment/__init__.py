"""The environment that is ported: what it is made of, and what its episodes change.

`original.py` makes it, with `in_place.py` for `mujoco`; `attributes.py` finds its numbers,
`changing.py` those that episodes change, `generators.py` its random numbers, and `hidden.py` the
state that nobody could follow.
"""
