"""Tasks of mjenv that are written after environments for `mujoco`, as Python to keep and change.

The environment's own methods are read and followed once, with the values that expressions have in
one world at hand: so their shapes are known, and which of them are the same in all worlds.
"""
