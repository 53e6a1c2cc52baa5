"""What stands for an environment's data, functions and generators while it is followed.

Fields of data are symbols, calls of the physics divide the step into parts (`symbolic_physics.py`),
and random numbers are asked for by their distribution.
"""
